import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport

/// All that a view of the shelter shows, as lines, and what changes it.
enum ViewDump {
    /// All rows of all classes in both directions, and what indexes and primary keys find.
    static func lines(of view: ReadTransaction) throws -> [String] {
        var lines: [String] = []
        for rowClass in view.rows.classes where rowClass.definition.kind == .object {
            for reversed in [false, true] {
                try view.scan(rowClass, reversed: reversed) { key, row in
                    lines.append("\(rowClass.definition.name) \(key) \(Array(row.bytes))")
                    return true
                }
            }
        }
        let people = view.rows.classes[0]
        for (filter, sort) in [
            ("age >= 20 AND age < 60", "age"), ("age >= 20 AND age < 60", "-age"),
            ("id >= 'p3'", "id"), ("id >= 'p3'", "-id"), ("name == 'n1'", "-name"),
            ("boss.age > 30", "age,-name"), ("staff.@count > 0", "id"), ("age == nil", "id"),
        ] {
            let query = ObjectQuery(
                classIndex: people.index,
                predicate: try CompiledQuery.compile(
                    text: filter, arguments: [], rootClass: people.index, schema: view.rows
                ).predicate,
                sort: try SortKey.parse(
                    list: sort, clause: "sort", root: .objects(classIndex: people.index),
                    schema: view.rows))
            let execution = try QueryExecution(query, in: view)
            var keys: [UInt64] = []
            try execution.run(limit: .max) { key, _ in
                keys.append(key)
                return true
            }
            lines.append("\(filter) by \(sort): \(keys)")
        }
        try view.checkFailure()
        return lines
    }

    /// A random operation on people.
    static func operation(_ random: inout SeededGenerator) -> ObjectScript.Operation {
        let id = Value.string("p\(Int.random(in: 0..<40, using: &random))")
        if Int.random(in: 0..<4, using: &random) == 0 { return .delete(Identity("Person", id)) }
        var content: ObjectContent = ["id": .value(id)]
        if Bool.random(using: &random) {
            content["age"] =
                Int.random(in: 0..<6, using: &random) == 0
                ? .value(.null) : .value(.int(Int64.random(in: 0..<80, using: &random)))
        }
        if Bool.random(using: &random) {
            content["name"] = .value(.string("n\(Int.random(in: 0..<4, using: &random))"))
        }
        if Bool.random(using: &random) { content["boss"] = .link("Person", id) }
        return .write("Person", content, key: nil, .merge)
    }
}
