import HoldfastPlainQuery
import HoldfastTestSupport
import Testing

@Suite("Views that show a part, and a plain evaluator on the part")
struct SightDifferentialTests {
    /// How many queries each shard compares; with both it is 50,000 in `make soak`.
    private static let queryCount = SeededGenerator.isSoak ? 25_000 : 1_500
    private static let shardCount: UInt64 = 2

    @Test(
        "by random rules a view shows, and every plan finds on it, what a copy without the unreadable has",
        arguments: 0..<shardCount)
    func differential(shard: UInt64) throws {
        let first = SeededGenerator.testSeed("sights, shard \(shard)")
        var counts = SightDifferential.Counts()
        var seed = first &+ shard
        while counts.queries < Self.queryCount {
            var run = try SightDifferential(seed: seed)
            defer { run.close() }
            try run.run(sightCount: 4, queryCount: 12)
            if let difference = run.difference {
                Issue.record("\(difference)")
                return
            }
            counts.add(run.counts)
            seed &+= Self.shardCount
        }
        print("sights, shard \(shard), seeds \(first) to \(seed): \(counts)")
        #expect(counts.plans > counts.queries && counts.matches > counts.queries)
        #expect(counts.shown > counts.objects / 4 && counts.shown < counts.objects * 9 / 10)
    }
}
