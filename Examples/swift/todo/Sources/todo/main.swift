import Holdfast

let usage = """
    usage: todo add WORD… [#TAG] [@LIST] [!low|!high]
           todo step NUMBER WORD…
           todo done NUMBER
           todo find CONDITION
           todo lists
           todo clean
           todo
    """

func number(_ word: String?) throws -> Int {
    guard let word, let number = Int(word) else { throw Fault(usage) }
    return number
}

func run(_ words: [String]) throws {
    let toDo = ToDo(realm: try Realm())
    let rest = Array(words.dropFirst())
    // Whatever a command does, what it leaves to be done is told when that changes.
    let token = toDo.open.observe { change in
        if case .update(let open, let gone, let new, _) = change, !gone.isEmpty || !new.isEmpty {
            print("\(open.count) to do")
        }
    }
    defer { token.invalidate() }
    switch words.first {
    case nil:
        for item in toDo.open { print(item.text) }
    case "add":
        print(try toDo.add(rest).text)
    case "step":
        let number = try number(rest.first)
        try toDo.addStep(rest.dropFirst().joined(separator: " "), to: number)
        print(try toDo.item(number).text)
    case "done":
        let number = try number(rest.first)
        try toDo.finish(number)
        print(try toDo.item(number).text)
    case "find":
        for item in try toDo.find(rest.joined(separator: " ")) { print(item.text) }
    case "lists":
        for list in toDo.realm.objects(ItemList.self).sorted(by: \.name) {
            print("\(list.name):", list.items.map { String($0.number) }.joined(separator: " "))
        }
    case "clean":
        print("\(try toDo.clean()) deleted")
    default:
        throw Fault(usage)
    }
}

do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
    FileHandle.standardError.write(Data("todo: \(error)\n".utf8))
    exit(1)
}
