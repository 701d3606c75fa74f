import HoldfastObjectStore
import HoldfastStorageLMDB
import HoldfastTestSupport
import HoldfastThreads

extension EmbeddedWrites {
    /// The objects of one transaction of random inserts.
    private static let randomTransactionCount = 1_000

    /// Inserts people in a random order of their primary keys, a thousand a transaction, and reports how many
    /// a second and what they then take on the medium.
    func randomInserts() throws {
        let total = arguments.objectCount
        let (store, engine) = try openStore("random")
        defer { store.close() }
        var order = Array(0..<total)
        var draws = SeededGenerator(seed: 4711)
        for position in stride(from: total - 1, to: 0, by: -1) {
            order.swapAt(position, Int(draws.next() % UInt64(position + 1)))
        }
        let start = monotonicNanoseconds()
        var first = 0
        while first < total {
            let part = order[first..<min(total, first + Self.randomTransactionCount)]
            try write(store) { (transaction, person) throws(StoreError) in
                let drafts = PersonDrafts(person, total: total)
                for index in part {
                    _ = try transaction.write(drafts.draft(index), mode: .replace)
                }
            }
            first += part.count
        }
        try engine.checkpoint()
        let seconds = Double(monotonicNanoseconds() - start) / 1e9
        report("random-insert", Double(total) / seconds, "objects/s")
        report("bytes-after-random", Double(store.storedByteCount ?? 0) / Double(total), "bytes")
    }
}
