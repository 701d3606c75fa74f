import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Ordered results")
struct OrderedResultTests {
    private static let classes = [
        ObjectClass(
            name: "Item", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "rank", type: .single(.scalar(.int)), isOptional: true),
                Property(name: "name", type: .single(.scalar(.string))),
            ])
    ]

    @Test(
        "by positions the difference is as small as by a comparison, and leads to the same objects")
    func positions() throws {
        let seed = SeededGenerator.testSeed("ordered results")
        var random = SeededGenerator(seed: seed)
        let store = try Shelter.open(.memory, classes: Self.classes)
        defer { store.close() }
        func write(_ id: Int) throws {
            try store.put(
                "Item",
                [
                    "id": .value(.int(Int64(id))), "name": .value(.string("n\(id % 7)")),
                    "rank": .value(
                        Int.random(in: 0...9, using: &random) == 0
                            ? .null : .int(Int64.random(in: 0...20, using: &random))),
                ])
        }
        for id in 0..<60 { try write(id) }
        let schema = store.catalog.rows
        let sorts: [[SortKey]] = try [
            [], ["rank"], ["rank DESC"], ["name", "rank DESC"],
        ].map { texts in
            try texts.flatMap { text in
                var keys = try SortKey.parse(
                    list: text.split(separator: " ").first.map(String.init) ?? "", clause: "sort",
                    root: .objects(classIndex: 0), schema: schema)
                for index in keys.indices { keys[index].isAscending = !text.hasSuffix("DESC") }
                return keys
            }
        }
        let predicate = try CompiledQuery.compile(
            text: "rank != 3", arguments: [], rootClass: 0, schema: schema
        ).predicate
        func make(_ sort: [SortKey]) -> OrderedResult {
            OrderedResult(
                classIndex: 0, predicate: predicate, suffixes: sort.isEmpty ? [] : [.sort(sort)],
                shown: ShownProperties(everythingOf: 0), schema: schema)
        }
        let followed = sorts.map(make)
        var before = try store.read()
        for result in followed { try result.load(in: before) }
        for step in 0..<SeededGenerator.scaled(200) {
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let id = Int.random(in: 0..<80, using: &random)
                if Int.random(in: 0...4, using: &random) == 0 {
                    try store.run([.attempt([.delete(Identity("Item", .int(Int64(id))))])])
                } else {
                    try write(id)
                }
            }
            let after = try store.read()
            var changes = try FoldedChanges(
                after: before.state().version, in: after, notesLists: true)
            changes.keepDifferences(from: before, to: after)
            let changed = Set(
                zip(changes.order, changes.outcomes).filter {
                    $1.kind == .update && !$1.members.isEmpty
                }.map(\.0.key))
            for (result, sort) in zip(followed, sorts) {
                let old = result.keys
                let fresh = make(sort)
                try fresh.load(in: after)
                let difference = try result.advance(
                    ChangeStep(before: before, after: after, changes: changes))
                let new = fresh.keys
                let place: Comment = "step \(step) of seed \(seed)"
                #expect(result.keys == new, place)
                #expect(difference.applied(to: old, new) == new, place)
                let compared = ListDifference(from: old, to: new, changed: changed, moving: changed)
                #expect(compared.applied(to: old, new) == new, place)
                #expect(difference.deletions.joined().count >= compared.deletions.joined().count)
                let moved = difference.deletions.joined().map { old[$0] }.filter(new.contains)
                #expect(changed.isSuperset(of: moved), place)
            }
            before.close()
            before = after
        }
        before.close()
    }
}
