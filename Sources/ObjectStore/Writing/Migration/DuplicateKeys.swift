import HoldfastObjectModel
import HoldfastRows

/// Objects with a new primary key that another object has.
struct DuplicateKeys {
    private struct Found {
        var count = 0
        var examples: [Value] = []
    }

    private static let exampleCountMax = 5
    private var found: [Int: Found] = [:]

    /// Counts an object of a class, by its position in the present catalog.
    mutating func add(classIndex: Int, _ value: Value) {
        var entry = found[classIndex] ?? Found()
        entry.count += 1
        if entry.examples.count < Self.exampleCountMax, !entry.examples.contains(value) {
            entry.examples.append(value)
        }
        found[classIndex] = entry
    }

    /// Describes the duplicates for a client.
    func faults(_ present: RowSchema, _ change: SchemaChange) -> [SchemaFault] {
        found.keys.sorted().map { index in
            let entry = found[index] ?? Found()
            let target = change.conversions[index]?.target.definition
            let examples = entry.examples.map(\.shown).joined(separator: ", ")
            let objects = entry.count == 1 ? "1 object has" : "\(entry.count) objects have"
            return SchemaFault(
                className: target?.name ?? present.classes[index].definition.name,
                property: target?.primaryKey,
                detail:
                    "\(objects) a primary key that another object has, such as \(examples). Keys "
                    + "are unique: change those objects first.")
        }
    }
}
