import HoldfastPlainQuery
import HoldfastTestSupport
import Testing

extension Differential {
    /// How many shards compare at the same time, each with seeds of its own.
    static var shardCount: UInt64 { 2 }

    /// Makes runs with one seed after the other until so many queries are compared; nil where one differs, which is recorded.
    ///
    /// - `name`: The subject, by which the first seed is told.
    static func compare(
        _ name: String, shard: UInt64, queryCount: Int, _ run: (inout Self) throws -> Void
    ) throws -> Counts? {
        let first = SeededGenerator.testSeed("\(name), shard \(shard)")
        var counts = Counts()
        var seed = first &+ shard
        while counts.queries < queryCount {
            var differential = try Self(seed: seed)
            defer { differential.close() }
            try run(&differential)
            if let difference = differential.difference {
                Issue.record("\(difference)")
                return nil
            }
            counts.add(differential.counts)
            seed &+= shardCount
        }
        print("\(name), shard \(shard), seeds \(first) to \(seed): \(counts)")
        return counts
    }
}
