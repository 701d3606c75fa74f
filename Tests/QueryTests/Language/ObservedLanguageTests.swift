import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Observed language")
struct ObservedLanguageTests {
    private static let filters = [
        "friends.@sum.n > 2", "friends.@max.size == 1", "friends.ints.@max == 3", "ints.@sum > 2",
        "fans.@avg.n > 1", "SUBQUERY(friends, $f, $f.n > 1).@count > 0",
        "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.n > 1).@count > 0).@count > 0",
        "SUBQUERY(fans, $f, $f.n > 1).@count > 0",
        "SUBQUERY(@links.Node.friends, $f, $f.friend.n > 1).@count > 0",
        "SUBQUERY(@links.Node.friends, $f, SUBQUERY($f.fans, $g, $g.n > 1).@count > 0).@count > 0",
        "SUBQUERY(places, $p, $p.keeper.n > 1).@count > 0", "n + friend.n > 3",
        "2 * ANY friends.n > 4", "n * 2 == friends.@count + 1", "mix.link.n > 1",
        "mix.link.friend.n > 1", "mix[*].n == 2", "mix[0].n > 1", "mix.link.mix.link.n == 1",
        "anyMap.friend.n > 1", "anyMap.friend.friend.n > 1", "friend.mix.link.n > 1",
        "mix.link.home.zip == 1", "mix.link.home.keeper.n > 1", "home.keeper.n * 2 > 2",
        "mix.@type == 'link'", "mix[*].@type == 'link'", "mix.link.friends[*].n > 1",
        "mix.link.ints.@sum > 2", "ALL friends.mix.link.n > 1", "mix.link.places[*].keeper.n == 2",
        "friends.mix.n > 1", "mix == friend", "@links.Place.keeper.zip > 1",
        "SUBQUERY(@links.Place.keeper, $p, $p.zip > 1).@count > 1",
        "@links.Place.keeper.keeper.n > 1", "friend.@links.Place.keeper.zip == 2",
    ]

    /// A query with what it matches in one state.
    private struct Observed {
        var text: String
        var query: ObservedQuery
        var predicate: Predicate

        init(_ text: String, _ schema: RowSchema) throws {
            self.text = text
            predicate = try CompiledQuery.compile(text: text, rootClass: 0, schema: schema)
                .predicate
            query = ObservedQuery(
                target: .objects(classIndex: 0), predicate: predicate,
                filterPaths: predicate.dependencies(schema), schema: schema)
        }

        func matches(_ transaction: ReadTransaction) throws -> Set<UInt64> {
            let matcher = predicate.makeMatcher(transaction.rows, source: transaction)
            var found: Set<UInt64> = []
            try transaction.scan(transaction.rows.classes[0]) { key, row in
                if matcher.matches(row: row, key: key, source: transaction) { found.insert(key) }
                return true
            }
            return found
        }
    }

    /// A change of a random node.
    private func operation(_ random: inout SeededGenerator) -> ObjectScript.Operation {
        let id = Int64.random(in: 1...6, using: &random)
        func number() -> Int64 { Int64.random(in: 0...3, using: &random) }
        func node() -> Value {
            let id = Int64.random(in: 1...6, using: &random)
            return Bool.random(using: &random) ? LanguageWorld.node(id) : .null
        }
        func nodes() -> [Value] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in node() }.filter { $0 != .null }
        }
        func mixed() -> Value {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .int(number())
            case 1: LanguageWorld.map([("link", node()), ("n", .int(number()))])
            case 2: .list([node(), .int(number()), node()])
            default: node()
            }
        }
        func place() -> ObjectContent {
            ["zip": .value(.int(number())), "keeper": .value(node())]
        }
        var content: ObjectContent = ["id": .value(.int(id))]
        switch Int.random(in: 0..<11, using: &random) {
        case 0: content["n"] = .value(.int(number()))
        case 1: content["size"] = .value(.int(number()))
        case 2: content["ints"] = .values((0..<number()).map { .int($0 + 1) })
        case 3: content["friend"] = .value(node())
        case 4: content["friends"] = .values(nodes())
        case 5, 6: content["mix"] = .value(mixed())
        case 7: content["anyMap"] = .entries(["friend": .value(node())])
        case 8: content["home"] = .embedded(place())
        case 9: content["places"] = .embeddedList([place(), place()])
        default: return .delete(Identity("Node", .int(id)))
        }
        return .write("Node", content, key: nil, .merge)
    }

    @Test("a stream tells of every object that a change elsewhere makes enter or leave")
    func events() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        try store.setSchema(LanguageWorld.classes)
        for id in 1...6 as ClosedRange<Int64> {
            try store.put("Node", ["id": .value(.int(id)), "n": .value(.int(id % 3))])
        }
        let observed = try store.reading { transaction in
            try Self.filters.map { try Observed($0, transaction.rows) }
        }
        var random = SeededGenerator(seed: SeededGenerator.testSeed("observed language"))
        var counts = (enters: 0, leaves: 0)
        for _ in 0..<SeededGenerator.scaled(250) {
            let before = try store.read()
            defer { before.close() }
            let version = try before.state().version
            let operations = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                operation(&random)
            }
            for operation in operations {
                // A node that a link names, or that is to be deleted, may be gone.
                _ = try? store.run([operation])
                _ = try? store.run([
                    .write("Node", ["id": .value(.int(1))], key: nil, .merge)
                ])
            }
            let after = try store.read()
            defer { after.close() }
            let changes = try FoldedChanges(after: version, in: after)
            for query in observed {
                let (was, now) = (try query.matches(before), try query.matches(after))
                let events = query.query.events(changes, before: before, after: after)
                let entered = Set(events.filter { $0.kind == .enter }.map(\.identity.key))
                let left = Set(
                    events.filter { $0.kind == .leave || $0.kind == .delete }.map(\.identity.key))
                #expect(entered == now.subtracting(was), "\(query.text): \(operations)")
                #expect(left == was.subtracting(now), "\(query.text): \(operations)")
                counts.enters += entered.count
                counts.leaves += left.count
            }
        }
        #expect(counts.enters > 100 && counts.leaves > 100)
    }
}
