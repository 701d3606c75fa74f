import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport
import Testing

@Suite("The first of many groups")
struct FirstGroupsTests {
    private static let objectCount = 30_000
    /// All groups by a text or a number take more.
    private static let byteCountMax = 3 << 19

    /// An order in which values come with rising object keys.
    enum Arrival: Int, CaseIterable {
        case rising, falling, shuffled

        func ranks(_ count: Int, _ random: inout SeededGenerator) -> [Int] {
            switch self {
            case .rising: Array(0..<count)
            case .falling: (0..<count).reversed()
            case .shuffled: (0..<count).shuffled(using: &random)
            }
        }
    }

    /// A thing whose values are in the order of ranks, and of which hardly any two are equal.
    private static func thing(_ id: Int, rank: Int) -> ObjectContent {
        let text = String(1_000_000 + rank)
        return [
            "id": .value(.int(Int64(id))),
            "number": .value(rank % 7 == 0 ? .null : .int(Int64(rank % 1000))),
            "wide": .value(.int((Int64(rank) - 15_000) << 40)),
            "flag": .value(rank % 5 == 0 ? .null : .bool(rank % 2 == 0)),
            "score": .value(
                rank == 11 ? .null : .double(rank == 17 ? -0.0 : (Double(rank) - 17) / 4)),
            "ratio": .value(.float(Float(rank))),
            // Of ten texts the first eight bytes are equal.
            "label": .value(rank == 3 ? .null : .string("ab\(text)")),
            "name": .value(.string(text)),
            "day": .value(.date(Timestamp(seconds: Int64(rank) * 86_400, nanoseconds: 0))),
        ]
    }

    @Test(
        "are the same over columns and rows, and need no room for the others",
        arguments: Arrival.allCases)
    func first(_ arrival: Arrival) throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("first groups over columns"))
        let store = try Shelter.open(
            EngineCase.memory, options: ColumnTests.eager(), classes: ColumnWorld.classes)
        defer { store.close() }
        let ranks = arrival.ranks(Self.objectCount, &random)
        for start in stride(from: 0, to: ranks.count, by: 5000) {
            try store.write { transaction throws(StoreError) in
                for id in start..<min(start + 5000, ranks.count) {
                    let content = Self.thing(id, rank: ranks[id])
                    try ObjectScript.Operation.write("Thing", content, key: nil, .merge)
                        .run(transaction)
                }
            }
        }
        let read = try store.read()
        defer { read.close() }
        let rowClass = try #require(read.rows.rowClass(named: "Thing"))
        let even = try CompiledQuery.compile(
            text: "flag == true", rootClass: rowClass.index, schema: read.rows
        ).predicate
        let pages: [(predicate: Predicate?, countMax: Int)] = [(nil, 1), (nil, 150), (even, 21)]
        for (index, by) in [
            ["label"], ["name"], ["wide"], ["score"], ["ratio"], ["day"], ["label", "flag"],
            ["flag", "wide"], ["name", "bucket(score,10)"], ["number", "label"],
            ["number", "wide"], ["number", "flag", "day"],
        ].enumerated() {
            let page = pages[(index + arrival.rawValue) % pages.count]
            let byteCountMax = index.isMultiple(of: 2) ? Self.byteCountMax : 1 << 30
            let comparison = try AggregationComparison(
                page.predicate, read, rowClass, ["max(wide)"], by: by,
                first: (page.countMax, byteCountMax), &random)
            // Where columns have no room for all groups, rows forget those that are not wanted.
            _ = try comparison.compare("\(arrival) \(by) \(page.countMax)")
        }
    }
}
