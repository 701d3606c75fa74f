import HoldfastBytes
import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Full-text indexes")
struct FullTextTests {
    /// Documents whose `body` may have a full-text index, and a `copy` of the same text that has none.
    private static func classes(
        _ index: SearchIndexKind? = .fullText, isIndexed: Bool = false, name: String = "body"
    ) -> [ObjectClass] {
        [
            ObjectClass(
                name: "Doc", primaryKey: "id",
                properties: [
                    Property(name: "id", type: .single(.scalar(.int))),
                    Property(
                        name: name, type: .single(.scalar(.string)), isOptional: true,
                        isIndexed: isIndexed, searchIndex: index),
                    Property(name: "copy", type: .single(.scalar(.string)), isOptional: true),
                    Property(name: "rank", type: .single(.scalar(.int)), isIndexed: true),
                ])
        ]
    }

    private func content(_ id: Int64, _ text: String?, name: String = "body") -> ObjectContent {
        let value = text.map { Content.value(.string($0)) } ?? .null
        return [
            "id": .value(.int(id)), name: value, "copy": value,
            "rank": .value(.int((id &* 7919) % 1000)),
        ]
    }

    /// The keys of the objects that a filter finds, with how they were found.
    private func find(
        _ filter: String, sort: String = "", after: QueryPosition? = nil, limit: Int = .max,
        isCounted: Bool = false, in view: ReadTransaction
    ) throws -> (keys: [UInt64], execution: QueryExecution, position: QueryPosition?) {
        var query = ObjectQuery(
            classIndex: 0,
            predicate: try CompiledQuery.compile(
                text: filter, arguments: [], rootClass: 0, schema: view.rows
            ).predicate,
            sort: sort.isEmpty
                ? []
                : try SortKey.parse(
                    list: sort, root: .objects(classIndex: 0), schema: view.rows),
            after: after, expectedCount: limit == .max ? nil : limit)
        query.isCounted = isCounted
        let execution = try QueryExecution(query, in: view)
        var keys: [UInt64] = []
        var position: QueryPosition?
        try execution.run(limit: limit) { key, row in
            keys.append(key)
            position = execution.position(key, row)
            return true
        }
        return (keys, execution, position)
    }

    private func keys(_ store: Store, _ filter: String) throws -> [UInt64] {
        try store.reading { try find(filter, in: $0).keys }
    }

    private func usesWords(_ store: Store, _ filter: String, sort: String = "") throws -> Bool {
        try store.reading { view in
            return switch try find(filter, sort: sort, in: view).execution.plan.source {
            case .words: true
            case .any(let parts):
                parts.allSatisfy { if case .words = $0 { true } else { false } }
            default: false
            }
        }
    }

    private func entryCount(_ store: Store) throws -> Int {
        try StoreCheck.run(store).indexEntryCount - Int(store.contents().objects.count)
    }

    @Test("words are found as they are written, changed and deleted", arguments: EngineCase.all)
    func life(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema(Self.classes())
        try store.put("Doc", content(1, "The quick brown Fox"))
        try store.put("Doc", content(2, "brown bread, BROWN fox"))
        try store.put("Doc", content(3, nil))
        try store.put("Doc", content(4, "Füchse im Café"))
        #expect(try entryCount(store) == 4 + 3 + 3)
        for (filter, expected) in [
            ("body TEXT 'brown'", [1, 2]), ("body TEXT 'fox brown'", [1, 2]),
            ("body TEXT 'quick FOX'", [1]), ("body TEXT 'fuchse cafe'", [4]),
            ("body TEXT 'f*'", [1, 2, 4]), ("body TEXT 'f* -fox'", [4]),
            ("body TEXT 'brown -bread'", [1]), ("body TEXT 'brown -b* '", []),
            ("body TEXT 'nothing'", []), ("body TEXT 'bro'", []), ("body TEXT 'z*'", []),
            ("body TEXT 'brown' OR body TEXT 'cafe'", [1, 2, 4]),
            ("body TEXT 'brown' AND id == 2", [2]), ("body TEXT 'brown' AND rank >= 0", [1, 2]),
            ("body TEXT 'brown' AND body TEXT 'quick'", [1]),
            ("body TEXT 'brown' AND NOT body TEXT 'quick'", [2]),
        ] as [(String, [UInt64])] {
            #expect(try keys(store, filter) == expected, "\(filter)")
            // Beside another index the planner takes whichever finds less.
            if !filter.contains("AND") { #expect(try usesWords(store, filter), "\(filter)") }
        }
        for (filter, expected) in [
            ("body TEXT '-brown'", [3, 4]),
            ("NOT body TEXT 'brown'", [3, 4]), ("copy TEXT 'brown'", [1, 2]),
        ] as [(String, [UInt64])] {
            #expect(try keys(store, filter) == expected, "\(filter)")
            #expect(try !usesWords(store, filter), "\(filter)")
        }
        try store.put("Doc", content(1, "The slow brown dog"))
        try store.put("Doc", content(2, nil))
        try store.put("Doc", content(3, "fox"))
        try store.delete("Doc", .int(4))
        #expect(try keys(store, "body TEXT 'brown'") == [1])
        #expect(try keys(store, "body TEXT 'quick'") == [])
        #expect(try keys(store, "body TEXT 'fox'") == [3])
        #expect(try keys(store, "body TEXT 'cafe'") == [])
        #expect(try entryCount(store) == 4 + 1)
        #expect(try store.findings() == [])
    }

    @Test("what a transaction has written itself is found by words", arguments: EngineCase.all)
    func ownWrites(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try store.setSchema(Self.classes())
        try store.run([.write("Doc", content(1, "one two"), key: nil, .create)])
        try store.run([
            .write("Doc", content(1, "two three"), key: nil, .merge),
            .write("Doc", content(2, "three"), key: nil, .create),
            .write("Doc", content(1, "one three"), key: nil, .merge),
            .delete(Identity("Doc", .int(2))),
        ])
        #expect(try keys(store, "body TEXT 'one'") == [1])
        #expect(try keys(store, "body TEXT 'two'") == [])
        #expect(try keys(store, "body TEXT 'three'") == [1])
        #expect(try store.findings() == [])
    }

    private static let pool = [
        "a", "ab", "abc", "Ä", "b", "bc", "can't", "1.5", "東京", "москва", "x_y", "e\u{301}",
    ]

    private func text(_ random: inout SeededGenerator) -> String? {
        if Int.random(in: 0..<10, using: &random) == 0 { return nil }
        return (0..<Int.random(in: 0...5, using: &random)).map { _ in
            Self.pool.randomElement(using: &random) ?? ""
        }.joined(separator: [" ", ", ", "-", "  "].randomElement(using: &random) ?? " ")
    }

    private func search(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            (Int.random(in: 0..<3, using: &random) == 0 ? "-" : "")
                + (Self.pool.randomElement(using: &random) ?? "a").replacing("'", with: "\\'")
                + (Int.random(in: 0..<3, using: &random) == 0 ? "*" : "")
        }.joined(separator: " ")
    }

    @Test(
        "random texts are found by the index as without it, whatever the order, page by page",
        arguments: EngineCase.all, [false, true])
    func random(engineCase: EngineCase, isOutOfLine: Bool) throws {
        let seed = SeededGenerator.testSeed(
            "full text on \(engineCase), out of line \(isOutOfLine)")
        var random = SeededGenerator(seed: seed)
        var options = StoreOptions()
        if isOutOfLine { options.overflowLimits = .tiny }
        let store = try Store(engine: try engineCase.open(), options: options)
        defer { store.close() }
        try store.setSchema(Self.classes())
        for round in 0..<SeededGenerator.scaled(20) {
            var operations: [ObjectScript.Operation] = []
            for _ in 0..<30 {
                let id = Int64.random(in: 1...120, using: &random)
                if Int.random(in: 0..<6, using: &random) == 0, round > 0 {
                    operations.append(
                        .write("Doc", content(id, text(&random)), key: nil, .merge))
                    operations.append(.delete(Identity("Doc", .int(id))))
                } else {
                    operations.append(
                        .write("Doc", content(id, text(&random)), key: nil, .merge))
                }
            }
            try store.run(operations)
            try store.reading { view in
                for _ in 0..<8 {
                    let words = search(&random)
                    let others = ["", " AND rank < 500", " AND rank < 500 AND copy != null"]
                    let other = others.randomElement(using: &random) ?? ""
                    let sort =
                        ["", "rank", "-rank", "copy,-id"].randomElement(using: &random) ?? ""
                    guard
                        let plain = try? find("copy TEXT '\(words)'" + other, sort: sort, in: view)
                    else { continue }
                    let fast = try find("body TEXT '\(words)'" + other, sort: sort, in: view)
                    #expect(
                        fast.keys == plain.keys, "seed \(seed), \(words)\(other) by '\(sort)'")
                    #expect(try fast.execution.count() == plain.keys.count, "seed \(seed)")
                    let limit = Int.random(in: 1...7, using: &random)
                    var paged: [UInt64] = []
                    var after: QueryPosition?
                    repeat {
                        let page = try find(
                            "body TEXT '\(words)'" + other, sort: sort, after: after,
                            limit: limit, in: view)
                        paged += page.keys
                        after = page.keys.count == limit ? page.position : nil
                    } while after != nil
                    #expect(
                        paged == plain.keys, "seed \(seed), \(words)\(other), pages of \(limit)")
                }
            }
        }
        #expect(try store.findings() == [], "seed \(seed)")
    }

    @Test("long lists are gone through in leaps, and a page reads no more than it needs")
    func cost() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        try store.setSchema(Self.classes())
        let count: Int64 = 6000
        for start in stride(from: Int64(1), to: count, by: 1000) {
            try store.run(
                (start..<start + 1000).map { id in
                    let rare = id % 1500 == 0 ? " rare" : ""
                    let even = id % 2 == 0 ? " even" : ""
                    return .write("Doc", content(id, "all\(even)\(rare)"), key: nil, .create)
                })
        }
        try store.reading { view in
            let both = try find("body TEXT 'all even rare'", in: view)
            #expect(both.keys == [1500, 3000, 4500, 6000])
            #expect(both.execution.statistics.entriesRead < 300)
            #expect(both.execution.statistics.rowsRead == 4)
            let page = try find("body TEXT 'all even'", limit: 20, in: view)
            #expect(page.keys == Array(stride(from: UInt64(2), through: 40, by: 2)))
            #expect(page.execution.statistics.entriesRead < 600)
            let counted = try find("body TEXT 'even'", limit: 1, isCounted: true, in: view)
            #expect(try counted.execution.count() == 3000)
            #expect(counted.execution.statistics.rowsRead <= 1)
            // Nearly all objects have the word: the index of the order is read instead.
            let sorted = try find("body TEXT 'all'", sort: "rank", limit: 5, in: view)
            guard case .index = sorted.execution.plan.source else {
                Issue.record("\(sorted.execution.plan)")
                return
            }
            let few = try find("body TEXT 'all rare'", sort: "rank", limit: 5, in: view)
            #expect(few.keys.count == 4)
            guard case .words = few.execution.plan.source else {
                Issue.record("\(few.execution.plan)")
                return
            }
        }
    }

    @Test("words too long for the index are told apart all the same")
    func longWords() throws {
        let store = try Store(engine: try EngineCase.lmdb.open())
        defer { store.close() }
        try store.setSchema(Self.classes())
        let long = String(repeating: "ä", count: 300)
        let bounded = String(repeating: "a", count: 128)
        try store.put("Doc", content(1, long + "x"))
        try store.put("Doc", content(2, long + "y"))
        try store.put("Doc", content(3, bounded))
        try store.put("Doc", content(4, bounded + "b"))
        for (filter, expected) in [
            ("TEXT '\(long)x'", [1]), ("TEXT '\(long)*'", [1, 2]), ("TEXT '\(long)'", []),
            ("TEXT '\(bounded)'", [3]), ("TEXT '\(bounded)b'", [4]),
            ("TEXT '\(bounded)*'", [1, 2, 3, 4]),
            ("TEXT 'a* -\(long)y'", [1, 3, 4]),
        ] as [(String, [UInt64])] {
            #expect(try keys(store, "body " + filter) == expected, "\(filter)")
            #expect(try usesWords(store, "body " + filter))
            #expect(try keys(store, "copy " + filter) == expected, "\(filter)")
        }
        #expect(try store.findings() == [])
    }

    @Test(
        "an index comes, goes, moves with its property and becomes another kind",
        arguments: EngineCase.all, [0, 2_000])
    func migrations(engineCase: EngineCase, directCountMax: Int) throws {
        let engine = LastingEngine(try engineCase.open())
        var options = StoreOptions()
        options.migrationObjectCountMax = directCountMax
        options.migrationSliceCount = 7
        var store = try Store(engine: engine, options: options)
        try store.setSchema(Self.classes(nil))
        try store.run(
            (1...50).map { id in
                .write(
                    "Doc", content(id, id % 5 == 0 ? nil : "word\(id % 3) all"), key: nil, .create)
            })
        let steps: [(classes: [ObjectClass], renames: SchemaRenames, isFullText: Bool)] = [
            (Self.classes(), SchemaRenames(), true),
            (Self.classes(nil, isIndexed: true), SchemaRenames(), false),
            (Self.classes(), SchemaRenames(), true),
            (
                Self.classes(name: "story"),
                SchemaRenames([
                    .init(old: .init("Doc", "body"), new: .init("Doc", "story"))
                ]), true
            ),
            (Self.classes(nil, name: "story"), SchemaRenames(), false),
            (Self.classes(isIndexed: true, name: "story"), SchemaRenames(), true),
        ]
        for (place, step) in steps.enumerated() {
            try store.setSchema(step.classes, renames: step.renames)
            let name = step.classes[0].properties[1].name
            #expect(store.catalog.schema.classes == step.classes)
            let expected: [UInt64] = (1...50).filter { id in id % 5 != 0 && id % 3 == 1 }
            #expect(try keys(store, "\(name) TEXT 'word1 a*'") == expected, "step \(place)")
            #expect(try usesWords(store, "\(name) TEXT 'word1'") == step.isFullText, "\(place)")
            try store.put("Doc", content(51, "word1 extra", name: name))
            try store.delete("Doc", .int(51))
            #expect(try store.findings() == [], "step \(place)")
            try store.awaitCleanUp()
            #expect(try store.findings() == [], "step \(place)")
            store.close()
            store = try Store(engine: engine, options: options)
            #expect(store.catalog.schema.classes == step.classes)
        }
        store.close()
    }

    @Test("missing, extra and unknown entries are found by the check", arguments: EngineCase.all)
    func damage(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let store = try Store(engine: engine)
        defer { store.close() }
        try store.setSchema(Self.classes())
        try store.put("Doc", content(1, "one two"))
        let index = try #require(store.catalog.rows.classes[0].searchIndexes.first)
        func entry(_ word: String, _ key: UInt64) -> [UInt8] {
            let buffer = ByteBuffer()
            Array(word.utf8).withUnsafeBytes {
                IndexEntry.append(index, word: $0, key, to: buffer)
            }
            return buffer.array
        }
        func codes(_ changes: [[UInt8]: [UInt8]?]) throws -> [String] {
            var (batch, back) = (OwnedBatch(), OwnedBatch())
            let snapshot = try engine.snapshot()
            for (key, value) in changes {
                batch.changes[key] = .some(value)
                back.changes[key] = .some(try snapshot.bytes(forKey: key))
            }
            snapshot.close()
            try batch.commit(to: engine)
            let codes = try StoreCheck.run(store).findings.map(\.code).sorted()
            try back.commit(to: engine)
            return codes
        }
        #expect(try codes([entry("one", 1): nil]) == ["index-entry-missing"])
        #expect(try codes([entry("three", 1): []]) == ["index-entry-wrong"])
        #expect(try codes([entry("one", 2): []]) == ["index-entry-without-row"])
        #expect(
            try codes([entry("one", 1): nil, entry("three", 1): []])
                == ["index-entry-missing", "index-entry-wrong"])
        #expect(try codes([:]) == [])
    }

    @Test("a full-text index needs a single string of an object class")
    func validation() {
        func faults(_ type: PropertyType, kind: ObjectClass.Kind = .object) -> Int {
            let property = Property(
                name: "p", type: type, isOptional: type == .single(.object("C")),
                searchIndex: .fullText)
            return Schema(classes: [ObjectClass(name: "C", kind: kind, properties: [property])])
                .faults().count
        }
        #expect(faults(.single(.scalar(.string))) == 0)
        for type in [
            PropertyType.single(.scalar(.int)), .single(.scalar(.data)), .single(.scalar(.mixed)),
            .list(.scalar(.string)), .set(.scalar(.string)), .map(.scalar(.string)),
            .single(.object("C")),
        ] { #expect(faults(type) == 1, "\(type)") }
        #expect(faults(.single(.scalar(.string)), kind: .embedded) == 1)
        #expect(faults(.single(.scalar(.string)), kind: .asymmetric) >= 1)
    }
}
