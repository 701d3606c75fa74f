import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("Aggregates and a plain evaluator")
struct AggregateDifferentialTests {
    /// How many aggregates are compared, half of them over columns; 50,000 in `make soak`.
    private static let queryCount = SeededGenerator.isSoak ? 50_000 : 800
    private static let queriesOfAStore = 100

    @Test(
        "every operation, in every form of groups, is what the plainest evaluator makes of the objects"
    )
    func differential() throws {
        let first = SeededGenerator.testSeed("aggregates")
        var groupCount = 0
        for round in 0..<UInt64(Self.queryCount / Self.queriesOfAStore) {
            let seed = first &+ round
            var random = SeededGenerator(seed: seed)
            let world = PlainGroups(count: Int.random(in: 1...90, using: &random), &random)
            let service = try Self.service(world, hasColumns: round % 2 == 1)
            for _ in 0..<Self.queriesOfAStore {
                let query = PlainAggregateQuery(count: world.items.count, &random)
                let limit = [1000, 7, 13].randomElement(using: &random) ?? 1000
                let expected = query.answer(world)
                guard let difference = try Self.difference(query, expected, limit, service) else {
                    groupCount += expected?.count ?? 0
                    continue
                }
                Issue.record(
                    "seed \(seed): \(query.text) of \(query.filter), pages of \(limit): \(difference)"
                )
                return
            }
        }
        print("aggregates: \(Self.queryCount) with \(groupCount) groups, from seed \(first)")
        #expect(groupCount > Self.queryCount)
    }

    private static func service(_ world: PlainGroups, hasColumns: Bool) throws -> TestService {
        var options = StoreOptions()
        options.columns.useCountMin = 1
        options.columns.objectCountMin = 0
        options.columns.sharedMicrosecondsMin = 0
        if !hasColumns { options.columns.byteCountMax = 0 }
        let service = try TestService(classes: PlainGroups.schema.classes, options: options)
        // Links lead to objects that are there.
        let ids = world.items.map { "{\"id\":\($0.id)}" }.joined(separator: ",")
        try service.write("Thing", array: "[\(ids)]")
        for item in world.items {
            try service.put(ObjectAddress("Thing", "\(item.id)"), PlainGroups.json(item))
        }
        return service
    }

    /// What differs between the pages of a reply and the groups that are expected; nil for nothing.
    private static func difference(
        _ query: PlainAggregateQuery, _ expected: [PlainAggregateQuery.Group]?, _ limit: Int,
        _ service: TestService
    ) throws -> String? {
        var groups: [QueryJSON] = []
        var text = QueryText()
        text.filter = query.filter
        if !query.by.isEmpty { text.limit = limit }
        repeat {
            let page: WrittenPage
            do {
                page = try #require(
                    try service.page(.aggregate(.ofClass("Thing"), query.text), text))
            } catch let fault as RequestFault {
                return fault.kind == .invalid && expected == nil ? nil : "\(fault)"
            }
            groups += query.by.isEmpty ? [page.json] : page.json["groups"]?.elements ?? []
            text.cursor = page.next
        } while text.cursor != nil && groups.count < 10_000
        guard let expected else { return "a sum beyond 64 bits was not refused" }
        guard groups.count == expected.count else {
            return "\(groups.count) groups instead of \(expected.count)"
        }
        for (group, wanted) in zip(groups, expected) {
            let hasKeys = zip(query.by, wanted.keys).allSatisfy { key, value in
                PlainAggregateQuery.isSame(group["by"]?[key.text], value, key.type)
            }
            let hasResults = zip(query.operations, wanted.results).allSatisfy { operation, value in
                PlainAggregateQuery.isSame(group[operation.text], value, operation.type)
            }
            guard hasKeys, hasResults, group["count"]?.int == Int64(wanted.count) else {
                return "\(group) instead of \(wanted)"
            }
        }
        return nil
    }
}
