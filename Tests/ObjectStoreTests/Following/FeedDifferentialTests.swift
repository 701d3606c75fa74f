import HoldfastPlainQuery
import HoldfastTestSupport
import Testing

@Suite("What enters and leaves under rules")
struct FeedDifferentialTests {
    /// How many queries each shard follows; with both it is 5,000 in `make soak`.
    private static let queryCount = SeededGenerator.isSoak ? 2_500 : 200
    private static let shardCount: UInt64 = 2

    @Test(
        "by random rules and filters the feed is told of what comes into sight and goes out of it",
        arguments: 0..<shardCount)
    func differential(shard: UInt64) throws {
        let first = SeededGenerator.testSeed("feed, shard \(shard)")
        var counts = FeedDifferential.Counts()
        var seed = first &+ shard
        while counts.queries < Self.queryCount {
            var run = try FeedDifferential(seed: seed)
            defer { run.close() }
            try run.run(sightCount: 5, queryCount: 8, stepCount: 5)
            if let difference = run.difference {
                Issue.record("\(difference)")
                return
            }
            counts.add(run.counts)
            seed &+= Self.shardCount
        }
        print("feed, shard \(shard), seeds \(first) to \(seed): \(counts)")
        #expect(counts.entered > counts.queries / 2 && counts.left > counts.queries / 2)
    }
}
