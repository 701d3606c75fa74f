import HoldfastObjectJSON
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("aggregates and a plain model")
struct AggregateModelTests {
    private static func page(
        _ world: QueryWorld, _ aggregate: AggregateText, _ text: QueryText
    ) throws -> WrittenPage {
        try #require(try world.service.page(.aggregate(.ofClass("Item"), aggregate), text))
    }

    @Test("results agree with a plain model", arguments: [UInt64(1), 2, 3])
    func random(seed: UInt64) throws {
        print("seed \(seed)")
        var world = try QueryWorld(.memory, seed: seed, count: 120)
        for _ in 0..<20 {
            let bound = Int.random(in: 0..<120, using: &world.generator)
            let items = world.items.values.filter { $0.id < bound }
            let values = items.compactMap(\.a)
            var text = QueryText()
            text.filter = "id < \(bound)"
            let figures = try Self.page(
                world, AggregateText(operations: "count,min(a),max(ai)"), text
            ).json
            #expect(figures["count"]?.int == Int64(items.count))
            #expect(figures["min(a)"]?.int == values.min().map { Int64($0) })
            #expect(figures["max(ai)"]?.int == values.max().map { Int64($0) })
            let sum = values.reduce(Int128(0)) { $0 + Int128($1) }
            let summing = AggregateText(operations: "sum(a)")
            if let sum = Int64(exactly: sum) {
                #expect(try Self.page(world, summing, text).json["sum(a)"]?.int == sum)
            } else {
                let fault = #expect(throws: RequestFault.self) {
                    try Self.page(world, summing, text)
                }
                #expect(fault?.kind == .invalid)
            }
            // Pages smaller than the number of groups, so that those behind a page are dropped.
            var counts: [Int?: Int] = [:]
            var order: [Int?] = []
            text.limit = 3
            repeat {
                let page = try Self.page(world, AggregateText(by: "a"), text)
                for group in page.json["groups"]?.elements ?? [] {
                    let value = group["by"]?["a"]?.int.map { Int($0) }
                    order.append(value)
                    counts[value, default: 0] += Int(group["count"]?.int ?? 0)
                }
                text.cursor = page.next
            } while text.cursor != nil
            let expected = Dictionary(grouping: items, by: \.a).mapValues(\.count)
            #expect(counts == expected)
            #expect(order == order.sorted { ($0 ?? .min) < ($1 ?? .min) })
        }
    }
}
