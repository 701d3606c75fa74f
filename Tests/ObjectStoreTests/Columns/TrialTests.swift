import ObjectModel
import ObjectStore
import ObjectSupport
import Query
import Rows
import TestSupport
import Testing

@Suite("Trials of pages")
struct TrialTests {
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
        let member = try #require(rowClass.memberIndex["n"])
        var found = Page()
        try execution.run(limit: page) { key, row in
            found.numbers.append(rowClass.field(member, in: row).load(Int64.self))
            found.next = execution.position(key, row)
            return true
        }
        found.words = execution.followed.map { followed in
            switch followed.plan.access {
            case .scan: followed.columns.isEmpty ? "rows" : "columns"
            case .index: "index"
            case .keys: "keys"
            case .primaryKey: "key"
            case .nothing: "nothing"
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
        "a page that a chunk of numbers fills, or of texts compared by their hashes, asks no index",
        arguments: [
            "half > 0 AND n > 10", "half == 1 AND early == 1", "half == 1 OR rare == 1", "half > 0",
            "half > 0 AND s != 'x1'", "half == 1 AND NOT s IN {'x1', 'x3'}",
        ])
    func atOnce(filter: String) throws {
        try Self.reading { read in
            let page = try Self.page(filter, page: 5, read)
            #expect(page.words == ["columns"] && page.entriesRead == 0)
            let same = try Self.page("(\(filter)) AND s > ''", page: 5, read)
            #expect(page.numbers == same.numbers && page.numbers.count == 5)
            let next = try Self.page(filter, page: 6, after: page.next, read)
            #expect(next.words == ["columns"] && next.entriesRead == 0)
            let both = try Self.page(filter, page: 11, read)
            #expect(page.numbers + next.numbers == both.numbers)
        }
    }

    @Test("a chunk of numbers in vain is followed by what an index has")
    func atOnceInVain() throws {
        try Self.reading { read in
            let late = try Self.page("rare == 1 AND thin == 0 AND n > 9000", page: 5, read)
            #expect(late.numbers == [13999] && late.words == ["columns", "index"])
            let united = try Self.page("(rare > 0 OR thin > 1) AND n > 9000", page: 5, read)
            #expect(united.numbers == [13999] && united.words == ["columns", "keys"])
            // A part of the page tells that the rest is not far.
            let soon = try Self.page("rare > 0 AND n > 10", page: 5, read)
            #expect(soon.numbers == [6999, 13999] && soon.words == ["columns"])
            let label = try Self.page("label == 'x6999' AND n > 10", page: 5, read)
            #expect(label.numbers == [6999] && label.words == ["index"])
            let key = try Self.page("id == 6999 AND n > 10", page: 5, read)
            #expect(key.numbers == [6999] && key.words == ["key"])
        }
    }

    @Test(
        "a page that a chunk fills reads a few entries, and none when such a page was filled before",
        arguments: [
            "half > 0 AND s > ''", "half == 1 AND early == 1 AND s > ''",
            "(half == 1 OR rare == 1) AND s > ''",
        ])
    func filled(filter: String) throws {
        try Self.reading { read in
            let first = try Self.page(filter, page: 5, read)
            #expect(first.words == ["columns"] && first.entriesRead > 0)
            #expect(first.entriesRead <= 65)
            let again = try Self.page(filter, page: 5, read)
            #expect(again.words == ["columns"] && again.entriesRead == 0)
            let other = try Self.page(filter, page: 6, read)
            #expect(other.entriesRead > 0 && Array(other.numbers.dropLast()) == again.numbers)
            #expect(first.numbers == again.numbers && first.numbers.count == 5)
        }
    }

    @Test("a page that fills slowly goes on with the scan that was begun")
    func slowly() throws {
        try Self.reading { read in
            let page = try Self.page(
                "half >= 0 AND n IN {10, 3000, 9000, 9001, 17000}", page: 3, read)
            #expect(page.numbers == [10, 3000, 9000] && page.words == ["columns"])
            #expect(page.entriesRead <= 64)
        }
    }

    @Test("a page that was filled and is filled no more is forgotten, and planned")
    func forgotten() throws {
        try Self.reading { read in
            let filter = "half >= 0 AND n < 100 AND s > ''"
            let first = try Self.page(filter, page: 60, read)
            #expect(first.numbers == Array(0..<60))
            #expect(try Self.page(filter, page: 60, read).entriesRead == 0)
            let rest = try Self.page(filter, page: 60, after: first.next, read)
            #expect(rest.numbers == Array(60..<100))
            let end = try Self.page(filter, page: 60, after: rest.next, read)
            #expect(end.numbers.isEmpty)
            #expect(try Self.page(filter, page: 60, read).entriesRead > 0)
        }
    }

    @Test("what an index answers at once, or its entries show to be thin, waits for no trial")
    func small() throws {
        try Self.reading { read in
            for _ in 0..<2 {
                let single = try Self.page("rare == 1 AND half >= 0 AND s > 'x'", page: 5, read)
                #expect(single.numbers == [6999, 13999] && single.words == ["index"])
                let range = try Self.page("rare > 0 AND s > 'x'", page: 5, read)
                #expect(range.numbers == [6999, 13999] && range.words == ["index"])
                let united = try Self.page("(rare > 0 OR id == 3) AND s > 'x'", page: 5, read)
                #expect(united.numbers == [3, 6999, 13999] && united.words == ["keys"])
                let thin = try Self.page("thin == 1 AND half >= 0 AND s > 'x'", page: 30, read)
                #expect(thin.numbers == (0..<30).map { $0 * 400 } && thin.entriesRead > 16)
            }
        }
    }

    @Test("a trial in vain is told, and what it found is not looked for again")
    func inVain() throws {
        try Self.reading { read in
            let query = try ObjectQuery.things("rare > 0 AND n > 10", page: 5, read)
            var plan = Plan.scan(query)
            plan.chunkCost = 100
            plan.fallback = .plan(cost: 100, otherCost: 0)
            let page = try Self.run(
                QueryExecution(query, plan: plan, in: read), page: 5, read)
            #expect(page.numbers == [6999, 13999] && page.words == ["columns", "index"])
        }
    }

    @Test("pages after pages, each tried, have every object once", arguments: [3, 40, 500])
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

    @Test("a value that many objects have is looked for by a scan, until its entries end")
    func dense() throws {
        let store = try Self.open()
        defer { store.close() }
        try store.reading { read in
            // Nothing is known of columns that are not there.
            let unknown = try Self.page("half == 1 AND n < 0", page: 5, read)
            #expect(unknown.numbers.isEmpty && unknown.words.first == "index")
            try Self.build(read)
            let half = try Self.page("half == 1 AND n < 0", page: 5, read)
            #expect(half.numbers.isEmpty && half.words == ["columns"])
            let early = try Self.page(
                "early == 1 AND s LIKE 'x4999*' AND t LIKE 'x4999*'", page: 5, read)
            #expect(early.numbers == [4999] && early.words == ["columns", "index"])
            let rare = try Self.page("rare == 1 AND n < 7000 AND s > ''", page: 5, read)
            #expect(rare.numbers == [6999] && rare.words.first == "index")
        }
    }
}
