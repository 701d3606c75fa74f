import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Plans beside columns")
struct ColumnPlanTests {
    private static let count: Int64 = 20_000

    /// Things whose `half` is 0 or 1, `rare` 0 but for three of them, and `n` their number.
    private static func open(_ options: StoreOptions) throws -> Store {
        func indexed(_ name: String) -> Property {
            Property(name: name, type: .single(.scalar(.int)), isIndexed: true)
        }
        let thing = ObjectClass(
            name: "Thing", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))), indexed("half"),
                indexed("rare"), Property(name: "n", type: .single(.scalar(.int))),
            ])
        let store = try Shelter.open(.memory, options: options, classes: [thing])
        try store.write { transaction throws(StoreError) in
            for id in 0..<count {
                let draft: ObjectContent = [
                    "id": .value(.int(id)), "half": .value(.int(id % 2)),
                    "rare": .value(.int(id % 7000 == 6999 ? 1 : 0)), "n": .value(.int(id)),
                ]
                try ObjectScript.Operation.write("Thing", draft, key: nil, .create).run(transaction)
            }
        }
        return store
    }

    /// Has the columns of some properties built, which a plan never does by itself.
    private static func build(_ filter: String, _ read: ReadTransaction) throws {
        let query = try ObjectQuery.things(filter, read)
        _ = try QueryExecution(query, plan: .scan(query), in: read).count()
    }

    /// What the followed plans are, in a word each.
    private static func words(_ execution: QueryExecution) -> [String] {
        execution.followed.map { followed in
            switch followed.plan.source {
            case nil: followed.columns.isEmpty ? "rows" : "columns"
            case .index: "index"
            default: "keys"
            }
        }
    }

    private static func keys(
        _ query: ObjectQuery, _ read: ReadTransaction
    ) throws -> (keys: [UInt64], words: [String]) {
        let execution = try QueryExecution(query, in: read)
        var keys: [UInt64] = []
        try execution.run(limit: query.expectedCount ?? .max) { key, _ in
            keys.append(key)
            return true
        }
        return (keys, words(execution))
    }

    @Test(
        "a count goes by columns where an index has many entries, and by one that has few"
    )
    func counts() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        try store.reading { read in
            func count(_ filter: String) throws -> (count: Int, words: [String]) {
                let execution = try QueryExecution(
                    ObjectQuery.things(filter, read).counted, in: read)
                let count = try execution.count()
                return (count, Self.words(execution))
            }
            #expect(try count("half == 1") == (10_000, ["index"]))
            #expect(store.columns.byteCount == 0)
            try Self.build("half == 1 AND rare == 0 AND n > 0", read)
            #expect(try count("half == 1") == (10_000, ["columns"]))
            #expect(try count("half != 0") == (10_000, ["columns"]))
            #expect(try count("rare == 1") == (2, ["index"]))
            #expect(try count("half == 1 AND rare == 0") == (9998, ["columns"]))
            #expect(try count("half == 1 AND rare == 1") == (2, ["index"]))
            #expect(try count("half == 0 OR rare == 1") == (10_002, ["columns"]))
        }
    }

    @Test("a page comes from columns where they fill it, and from an index where it is small")
    func pages() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        try store.reading { read in
            try Self.build("half == 1 AND rare == 0 AND n > 0", read)
            let dense = try Self.keys(
                ObjectQuery.things("half > 0 AND n > 10", page: 5, read), read)
            #expect(dense.keys.count == 5 && dense.words == ["columns"])
            #expect(zip(dense.keys, dense.keys.dropFirst()).allSatisfy { $1 == $0 + 2 })
            let few = try Self.keys(
                ObjectQuery.things("rare == 1 AND half >= 0 AND n > 9000", page: 5, read), read)
            #expect(few.keys.count == 1 && few.words == ["index"])
            let sorted = try Self.keys(
                ObjectQuery.things("half == 1 AND n < 100", sort: "-n", page: 3, read), read)
            #expect(sorted.words.last == "columns" && sorted.keys.count == 3)
            // What an index has in order is not walked along where the columns have it sooner.
            let none = try Self.keys(
                ObjectQuery.things("n < 0", sort: "half", page: 3, read), read)
            #expect(none.keys.isEmpty && none.words == ["columns"])
        }
    }

    @Test("columns that a page is looked for in are given up for an index that has it")
    func givenUp() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        try store.reading { read in
            try Self.build("half == 1 AND rare == 0 AND n > 0", read)
            let query = try ObjectQuery.things("n >= 19990", page: 3, read)
            var plan = Plan.scan(query)
            plan.chunkCost = 100
            plan.fallback = .after(cost: 100, .scan(query))
            let execution = QueryExecution(query, plan: plan, in: read)
            var keys: [UInt64] = []
            try execution.run(limit: 3) { key, row in
                keys.append(key)
                return true
            }
            let first = try #require(keys.first)
            #expect(keys == [first, first + 1, first + 2])
            #expect(try Self.keys(query, read).keys == keys)
        }
    }

    @Test("a page that tests very many rows beside columns has the columns built that it lacked")
    func lacking() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        try store.reading { read in
            try Self.build("rare == 0", read)
            let query = try ObjectQuery.things("rare < 1 AND n < 0", page: 3, read)
            func columnCount() throws -> Int? {
                let execution = try QueryExecution(query, in: read)
                try execution.run(limit: 3) { _, _ in true }
                return execution.followed.last?.columns.count
            }
            #expect(try columnCount() == 1)
            #expect(try columnCount() == 2)
        }
    }

    @Test("a scan that counts on columns which have gone reads rows")
    func gone() throws {
        let store = try Self.open(ColumnTests.eager { $0.byteCountMax = 0 })
        defer { store.close() }
        try store.reading { read in
            for page in [nil, 5] {
                let query = try ObjectQuery.things("rare == 1 AND n > 10", page: page, read)
                var plan = Plan.scan(query)
                plan.chunkCost = 100
                let execution = QueryExecution(query, plan: plan, in: read)
                var count = 0
                try execution.run(limit: page ?? .max) { _, _ in
                    count += 1
                    return true
                }
                #expect(count == 2 && Self.words(execution) == ["rows"])
                #expect(try QueryExecution(query, plan: plan, in: read).count() == 2)
            }
        }
    }

    @Test("a plan looks at columns as they are, also when rows have changed since")
    func changed() throws {
        let store = try Self.open(ColumnTests.eager())
        defer { store.close() }
        let before = try store.read()
        defer { before.close() }
        try Self.build("half == 1", before)
        try store.put("Thing", ["id": .value(.int(1)), "half": .value(.int(0))], mode: .merge)
        func count(_ read: ReadTransaction) throws -> Int {
            try QueryExecution(ObjectQuery.things("half == 1", read).counted, in: read).count()
        }
        #expect(try count(before) == 10_000)
        #expect(try store.reading { try count($0) } == 9999)
        #expect(try count(before) == 10_000)
    }
}
