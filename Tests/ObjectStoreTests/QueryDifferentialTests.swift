import HoldfastPlainQuery
import HoldfastTestSupport
import Testing

@Suite("Queries and a plain evaluator")
struct QueryDifferentialTests {
    /// How many queries each shard compares; with both it is 200,000 in `make soak`.
    private static let queryCount = SeededGenerator.isSoak ? 100_000 : 3_000
    private static let queriesOfAStore = 150

    @Test(
        "every plan, with columns and without, finds what the plainest evaluator finds, in its order",
        arguments: 0..<QueryDifferential.shardCount)
    func differential(shard: UInt64) throws {
        let counts = try QueryDifferential.compare(
            "queries", shard: shard, queryCount: Self.queryCount
        ) { try $0.run(queryCount: Self.queriesOfAStore) }
        guard let counts else { return }
        #expect(counts.matches > counts.queries && counts.plans > 3 * counts.queries)
    }

    /// A count that states an order, by a full-text index alone; the values under a key of `mixed` maps behind
    /// several objects, one by one; an order by sums of which a plain one loses a part.
    @Test(
        "what was found before stays mended",
        arguments: [508_801_252, 229_333_245, 806_587_436] as [UInt64])
    func found(seed: UInt64) throws {
        var run = try QueryDifferential(seed: seed)
        defer { run.close() }
        try run.run(queryCount: Self.queriesOfAStore)
        #expect(run.difference == nil)
    }

    @Test("stores with damaged entries answer or fail", arguments: [2, 4, 5, 6] as [UInt64])
    func damage(seed: UInt64) throws {
        var run = DamagedAnswers(seed: seed)
        try run.run(roundCount: SeededGenerator.scaled(8))
    }
}
