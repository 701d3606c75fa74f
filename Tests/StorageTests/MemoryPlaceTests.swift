import Storage
import StorageLMDB
import TestSupport
import Testing

@Suite("Places of values")
struct MemoryPlaceTests {
    /// An engine whose changes reach its tree when it is told.
    private static func open(_ directory: TemporaryDirectory) throws -> LMDBEngine {
        try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount,
                durability: .relaxed, checkpointMilliseconds: 3_600_000))
    }

    @Test(
        "every snapshot finds its own value of a key, wherever one of another store, an older or a newer state has found it",
        arguments: [3, 17])
    func anyPlace(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directories = [TemporaryDirectory(), TemporaryDirectory()]
        let engines = try directories.map(Self.open)
        defer { for engine in engines { engine.close() } }
        var snapshots: [any StorageSnapshot] = []
        defer { for snapshot in snapshots { snapshot.close() } }
        let keys = (0..<30).map { [UInt8](repeating: UInt8($0), count: 1 + $0 % 12) }
        var places: [[UInt8]: [MemoryPlace]] = [:]
        var knownCount = 0
        for step in 0..<400 {
            let engine = engines[Int.random(in: 0..<2, using: &random)]
            var batch = OwnedBatch()
            for _ in 0..<3 {
                let key = keys.randomElement(using: &random) ?? [0]
                // The longest have pages of their own, where no key stands before them.
                let count = [0, 5, 300, 1500, 9000].randomElement(using: &random) ?? 0
                let value = [UInt8](
                    repeating: UInt8.random(in: 0...255, using: &random), count: count)
                batch.changes[key] = .some(
                    Int.random(in: 0..<4, using: &random) == 0 ? nil : value)
            }
            try batch.commit(to: engine)
            if Int.random(in: 0..<5, using: &random) == 0 { try engine.checkpoint() }
            snapshots.append(try engine.snapshot())
            if snapshots.count > 6 {
                snapshots.remove(at: Int.random(in: 0..<6, using: &random)).close()
            }
            for snapshot in snapshots {
                for _ in 0..<10 {
                    let key = keys.randomElement(using: &random) ?? [0]
                    var place = places[key]?.randomElement(using: &random) ?? MemoryPlace()
                    // Twice: the second time it is where the first one has found it.
                    for pass in 0..<2 {
                        try withBytes(key) { (key) throws(StorageError) in
                            let found = try snapshot.value(forKey: key, at: &place)
                            let expected = try snapshot.value(forKey: key)
                            #expect(
                                found.map(Array.init) == expected.map(Array.init),
                                "seed \(seed) step \(step) pass \(pass) key \(Array(key))")
                        }
                        if place.state != 0 { knownCount += 1 }
                    }
                    places[key, default: []].append(place)
                }
            }
        }
        #expect(knownCount > 1000)
    }
}
