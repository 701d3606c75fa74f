import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Plans of pages beside columns")
struct PagePlanTests {
    private static let count: Int64 = 20_000

    /// Things whose `half` is 0 or 1, `rare` 0 but for two of them, `thin` 1 for every 400th, `early` 1 for the
    /// first 5,000, `label` a text of its own, and without an index `n` their number and `s` and `t` the same
    /// as texts.
    private static func open() throws -> Store {
        func plain(_ name: String, isIndexed: Bool = true) -> Property {
            Property(name: name, type: .single(.scalar(.int)), isIndexed: isIndexed)
        }
        func text(_ name: String, isIndexed: Bool = false) -> Property {
            Property(name: name, type: .single(.scalar(.string)), isIndexed: isIndexed)
        }
        let thing = ObjectClass(
            name: "Thing", primaryKey: "id",
            properties: [
                plain("id", isIndexed: false), plain("half"), plain("rare"), plain("thin"),
                plain("early"), plain("n", isIndexed: false), text("s"), text("t"),
                text("label", isIndexed: true),
            ])
        let store = try Shelter.open(.memory, options: ColumnTests.eager(), classes: [thing])
        try store.write { transaction throws(StoreError) in
            for id in 0..<count {
                let draft: ObjectContent = [
                    "id": .value(.int(id)), "half": .value(.int(id % 2)),
                    "rare": .value(.int(id % 7000 == 6999 ? 1 : 0)),
                    "thin": .value(.int(id % 400 == 0 ? 1 : 0)),
                    "early": .value(.int(id < 5000 ? 1 : 0)), "n": .value(.int(id)),
                    "s": .value(.string("x\(id)")), "t": .value(.string("x\(id)")),
                    "label": .value(.string("x\(id)")),
                ]
                try ObjectScript.Operation.write("Thing", draft, key: nil, .create).run(transaction)
            }
        }
        return store
    }

    /// A page of a query: the numbers of its objects, where to go on, how it was found, and what was read for
    /// that.
    private struct Page {
        var numbers: [Int64] = []
        var next: QueryPosition?
        var words: [String] = []
        var entriesRead = 0
    }

    private static func run(
        _ execution: QueryExecution, page: Int, _ read: ReadTransaction
    ) throws -> Page {
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        let member = try #require(rowClass.names.position(of: "n"))
        var found = Page()
        try execution.run(limit: page) { key, row in
            found.numbers.append(rowClass.field(member, in: row).load(Int64.self))
            found.next = execution.position(key, row)
            return true
        }
        found.words = execution.followed.map { followed in
            switch followed.plan.source {
            case nil: followed.columns.isEmpty ? "rows" : "columns"
            case .index(let member, _):
                member == rowClass.primaryKeyIndex ? "key" : "index"
            default: "keys"
            }
        }
        found.entriesRead = execution.statistics.entriesRead
        return found
    }

    private static func page(
        _ filter: String, page: Int, after: QueryPosition? = nil, _ read: ReadTransaction
    ) throws -> Page {
        let query = try ObjectQuery.things(filter, page: page, after: after, read)
        return try run(QueryExecution(query, in: read), page: page, read)
    }

    /// Runs `body` on a new store of things whose columns are all there.
    private static func reading(_ body: (ReadTransaction) throws -> Void) throws {
        let store = try open()
        defer { store.close() }
        try store.reading { read in
            try build(read)
            try body(read)
        }
    }

    /// Has the columns of all properties built, which a plan never does by itself.
    private static func build(_ read: ReadTransaction) throws {
        let query = try ObjectQuery.things(
            "half >= 0 AND rare >= 0 AND thin >= 0 AND early >= 0 AND n >= 0 AND s != '' AND t != '' "
                + "AND label != ''", page: 1, read)
        _ = try QueryExecution(query, plan: .scan(query), in: read).count()
    }

    @Test(
        "a page that the first objects fill is read from columns",
        arguments: [
            "half > 0 AND n > 10", "half == 1 AND early == 1", "half == 1 OR rare == 1", "half > 0",
            "half > 0 AND s != 'x1'", "half == 1 AND NOT s IN {'x1', 'x3'}",
        ])
    func dense(filter: String) throws {
        try Self.reading { read in
            let page = try Self.page(filter, page: 5, read)
            #expect(page.words == ["columns"])
            let same = try Self.page("(\(filter)) AND s > ''", page: 5, read)
            #expect(page.numbers == same.numbers && page.numbers.count == 5)
            let next = try Self.page(filter, page: 6, after: page.next, read)
            #expect(next.words == ["columns"])
            let both = try Self.page(filter, page: 11, read)
            #expect(page.numbers + next.numbers == both.numbers)
        }
    }

    @Test("what an index has few of is read from it, and at most 64 entries of each index before")
    func sparse() throws {
        try Self.reading { read in
            for (filter, size, numbers, word) in [
                ("rare == 1 AND thin == 0 AND n > 9000", 5, [13999], "index"),
                ("(rare > 0 OR thin > 1) AND n > 9000", 5, [13999], "keys"),
                ("rare > 0 AND n > 10", 5, [6999, 13999], "index"),
                ("label == 'x6999' AND n > 10", 5, [6999], "index"),
                ("id == 6999 AND n > 10", 5, [6999], "key"),
                ("rare == 1 AND half >= 0 AND s > 'x'", 5, [6999, 13999], "index"),
                ("(rare > 0 OR id == 3) AND s > 'x'", 5, [3, 6999, 13999], "keys"),
                ("thin == 1 AND half >= 0 AND s > 'x'", 30, (0..<30).map { $0 * 400 }, "index"),
            ] as [(String, Int, [Int64], String)] {
                let page = try Self.page(filter, page: size, read)
                #expect(page.numbers == numbers && page.words == [word], "\(filter): \(page.words)")
                #expect(page.entriesRead <= 3 * 65, "\(filter)")
            }
        }
    }

    @Test("pages after pages have every object once", arguments: [3, 40, 500])
    func pages(size: Int) throws {
        try Self.reading { read in
            for (filter, expected) in [
                ("half > 0 AND n > 4000", (4001..<Self.count).filter { $0 % 2 == 1 }),
                ("early == 1 AND n >= 4900", Array(4900..<5000)),
                ("thin == 1 AND half >= 0", (0..<50).map { $0 * 400 }),
            ] {
                var found: [Int64] = []
                var after: QueryPosition?
                while true {
                    let page = try Self.page(filter, page: size, after: after, read)
                    found += page.numbers
                    after = page.next
                    if page.numbers.count < size { break }
                }
                #expect(found == expected, "\(filter)")
            }
        }
    }

    @Test(
        "a value that many objects have is looked for by columns, or by a scan of rows when the index has cost enough"
    )
    func common() throws {
        let store = try Self.open()
        defer { store.close() }
        try store.reading { read in
            let byRows = try Self.page("half == 1 AND n < 0", page: 5, read)
            #expect(byRows.numbers.isEmpty && byRows.words == ["index", "rows"], "\(byRows.words)")
            try Self.build(read)
            let byColumns = try Self.page("half == 1 AND n < 0", page: 5, read)
            #expect(byColumns.numbers.isEmpty && byColumns.words == ["columns"])
        }
    }

    @Test("a page that an index promises and does not have goes on by another plan")
    func guarded() throws {
        let store = try Self.open()
        defer { store.close() }
        // A hundred objects have the value that a quarter of them had before.
        try store.write { transaction throws(StoreError) in
            for id in 0..<Self.count where id % 2 == 1 && id < 5000 || id > 19_900 {
                let draft: ObjectContent = [
                    "id": .value(.int(id)), "early": .value(.int(id < 5000 ? 0 : 1)),
                    "half": .value(.int(1)),
                ]
                try ObjectScript.Operation.write("Thing", draft, key: nil, .merge).run(transaction)
            }
        }
        try store.reading { read in
            let page = try Self.page("early > 0 AND half == 1 AND n > 4999", page: 5, read)
            #expect(page.numbers == [19901, 19902, 19903, 19904, 19905], "\(page.words)")
            #expect(page.words.count <= 2, "\(page.words)")
        }
    }
}
