import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport
import Testing

@Suite("Rows that are aggregated in batches")
struct AggregationBatchTests {
    private static func store(
        _ things: [ObjectContent], cityCount: Int = 0, hasColumns: Bool = false
    ) throws -> Store {
        var options = ColumnTests.eager()
        if !hasColumns { options.columns.byteCountMax = 0 }
        let store = try Shelter.open(
            EngineCase.memory, options: options, classes: ColumnWorld.classes)
        let cities = (0..<cityCount).map { id -> ObjectContent in
            ["id": .value(.int(Int64(id))), "name": .value(.string("\(id % 7)"))]
        }
        for (className, contents) in [("City", cities), ("Thing", things)] {
            try store.write { transaction throws(StoreError) in
                for content in contents {
                    try ObjectScript.Operation.write(className, content, key: nil, .merge)
                        .run(transaction)
                }
            }
        }
        return store
    }

    /// The groups as texts of a value and its results, in the order of values.
    private static func groups(
        _ store: Store, _ operations: String, by: String, limit: Int = .max
    ) throws -> [(count: Int, results: [AggregateState.Result])] {
        let read = try store.read()
        defer { read.close() }
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        let aggregation = Aggregation(
            try AggregateOperation.parse(
                list: operations, rootClass: rowClass.index, schema: read.rows),
            by: by.isEmpty
                ? []
                : try GroupKey.parse(
                    list: by, zone: .offset(0), rootClass: rowClass.index, schema: read.rows),
            page: GroupPage(after: nil, countMax: 100_000), byteCountMax: 1 << 30,
            schema: read.rows)
        let execution = try QueryExecution(ObjectQuery(classIndex: rowClass.index), in: read)
        let grouped = try #require(try execution.groups(of: aggregation, limit: limit))
        return grouped.groups.map { ($0.count, $0.results) }
    }

    private static func int(_ result: AggregateState.Result) -> Int64? {
        guard case .stored(let bytes, .int) = result else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
    }

    private static func thing(_ id: Int, number: Int, tags: [String] = []) -> ObjectContent {
        [
            "id": .value(.int(Int64(id))), "number": .value(.int(Int64(number))),
            "tags": .values(tags.map { .string($0) }),
        ]
    }

    @Test(
        "count all of them, where they are fewer than a batch, as many, and more",
        arguments: [
            0, 1, 1023, 1024, 1025, 2049,
        ])
    func sizes(_ count: Int) throws {
        let store = try Self.store((0..<count).map { Self.thing($0, number: $0) })
        defer { store.close() }
        let all = try Self.groups(store, "count,sum(number),count(distinct number)", by: "")
        try #require(all.count == 1)
        #expect(all[0].count == count)
        #expect(Self.int(all[0].results[0]) == Int64(count * max(0, count - 1) / 2))
        #expect(Self.int(all[0].results[1]) == Int64(count))
        let each = try Self.groups(store, "max(number)", by: "number")
        #expect(each.map(\.count) == [Int](repeating: 1, count: count))
        #expect(each.map { Self.int($0.results[0]) } == (0..<count).map { Int64($0) })
    }

    @Test(
        "count no more objects than are wanted, though columns have all", arguments: [false, true])
    func limit(hasColumns: Bool) throws {
        let store = try Self.store(
            (0..<3000).map { Self.thing($0, number: $0) }, hasColumns: hasColumns)
        defer { store.close() }
        for limit in [1, 7, 1500] {
            let all = try Self.groups(store, "sum(number)", by: "", limit: limit)
            try #require(all.count == 1)
            #expect(all[0].count == limit)
            #expect(Self.int(all[0].results[0]) == Int64(limit * (limit - 1) / 2))
        }
    }

    @Test("count in each group of one row, though it has more groups than a batch has room for")
    func elements() throws {
        let tags = (0..<3000).map { String(10_000 + $0) }
        let store = try Self.store([
            Self.thing(0, number: 5, tags: ["10000"]), Self.thing(1, number: 7, tags: tags + tags),
            Self.thing(2, number: 11, tags: ["10000", "12999"]),
        ])
        defer { store.close() }
        let groups = try Self.groups(store, "sum(number),count(distinct number)", by: "tags")
        try #require(groups.count == tags.count)
        for (index, group) in groups.enumerated() {
            let others = index == 0 ? [5, 11] : index == 2999 ? [11] : []
            #expect(group.count == 2 + others.count)
            #expect(Self.int(group.results[0]) == Int64(14 + others.reduce(0, +)))
            #expect(Self.int(group.results[1]) == Int64(1 + others.count))
        }
    }

    /// Links' keys lie farther apart than values are looked up by their distance, and the greatest next to null.
    @Test("are grouped by what is behind links, also far ones and none", arguments: [false, true])
    func farLinks(hasColumns: Bool) throws {
        let cityCount = 66_000
        var things: [ObjectContent] = []
        var counts = [Int](repeating: 0, count: 8)
        for id in 0..<10_000 {
            var thing = Self.thing(id, number: 1)
            let city = id < 5000 ? cityCount - 1 - id % 100 : id % 100
            thing["city"] = .value(
                id % 3 == 0 ? .null : .link(className: "City", key: .int(Int64(city))))
            counts[id % 3 == 0 ? 0 : 1 + city % 7] += 1
            things.append(thing)
        }
        let store = try Self.store(things, cityCount: cityCount, hasColumns: hasColumns)
        defer { store.close() }
        let groups = try Self.groups(store, "sum(number)", by: "city.name")
        #expect(groups.map(\.count) == counts)
        #expect(groups.map { Self.int($0.results[0]) } == counts.map { Int64($0) })
    }
}
