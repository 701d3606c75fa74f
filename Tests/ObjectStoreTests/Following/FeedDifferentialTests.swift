import HoldfastPlainQuery
import HoldfastTestSupport
import Testing

@Suite("What enters and leaves under rules")
struct FeedDifferentialTests {
    /// How many queries each shard follows; with both it is 5,000 in `make soak`.
    private static let queryCount = SeededGenerator.isSoak ? 2_500 : 200

    @Test(
        "by random rules and filters the feed is told of what comes into sight and goes out of it",
        arguments: 0..<FeedDifferential.shardCount)
    func differential(shard: UInt64) throws {
        let counts = try FeedDifferential.compare(
            "feed", shard: shard, queryCount: Self.queryCount
        ) { try $0.run(visibilityCount: 6, queryCount: 8, stepCount: 5) }
        guard let counts else { return }
        #expect(counts.missed > counts.queries && counts.undecided < counts.missed)
        #expect(counts.entered > counts.queries / 2 && counts.left > counts.queries / 2)
    }

    @Test("the objects that linked to one in the past are in the order of the ones that link now")
    func pastOrder() throws {
        // A rule compares the values behind inverse links with a list, and one of their holders has changed since.
        var differential = try FeedDifferential(seed: 621_707_863)
        defer { differential.close() }
        try differential.run(visibilityCount: 6, queryCount: 8, stepCount: 5)
        #expect(differential.difference == nil)
    }
}
