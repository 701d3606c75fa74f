import Holdfast

/// Something to be done.
final class Item: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var title = ""
    @Persisted(indexed: true) var isDone = false
    @Persisted var priority = Priority.normal
    @Persisted var made: Date
    @Persisted var tags: MutableSet<String>
    @Persisted var steps: List<Step>
    /// The lists that it is on: the store keeps these from `ItemList.items`.
    @Persisted(originProperty: "items") var lists: LinkingObjects<ItemList>

    /// One line, with a line for each step.
    var text: String {
        var line = "\(number) [\(isDone ? "x" : " ")] \(title)"
        if priority != .normal { line += " !\(priority)" }
        for tag in tags { line += " #\(tag)" }
        for list in lists { line += " @\(list.name)" }
        return steps.reduce(line) { "\($0)\n    [\($1.isDone ? "x" : " ")] \($1.title)" }
    }
}
