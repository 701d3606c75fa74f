import HoldfastPlainQuery
import HoldfastTestSupport
import Testing

@Suite("Views that show a part, and a plain evaluator on the part")
struct VisibilityDifferentialTests {
    /// How many queries each shard compares; with both it is 50,000 in `make soak`.
    private static let queryCount = SeededGenerator.isSoak ? 25_000 : 1_500

    @Test(
        "by random rules a view shows, and every plan finds on it, what a copy without the unreadable has",
        arguments: 0..<VisibilityDifferential.shardCount)
    func differential(shard: UInt64) throws {
        let counts = try VisibilityDifferential.compare(
            "sights", shard: shard, queryCount: Self.queryCount
        ) { try $0.run(visibilityCount: 4, queryCount: 12) }
        guard let counts else { return }
        #expect(counts.plans > counts.queries && counts.matches > counts.queries)
        #expect(counts.shown > counts.objects / 4 && counts.shown < counts.objects * 9 / 10)
    }
}
