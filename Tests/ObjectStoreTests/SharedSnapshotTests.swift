import HoldfastStorage
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectStore

@Suite("Snapshots that several readers use")
struct SharedSnapshotTests {
    private static let entryCount = 3000

    private static func filled(_ engine: any StorageEngine) throws -> ModelStore {
        var entries: [[UInt8]: [UInt8]] = [:]
        for number in 0..<entryCount {
            entries[[UInt8(number / 200), UInt8(number % 200)]] = [UInt8(number % 251), 7]
        }
        // As long as a key may be.
        entries[[UInt8](repeating: 3, count: 511)] = [1]
        try OwnedBatch(entries).commit(to: engine)
        return ModelStore(entries)
    }

    private static func scan(
        _ snapshot: any StorageSnapshot, _ range: KeyRange, reversed: Bool, expecting: Int,
        countMax: Int = .max
    ) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        try snapshot.scan(range, reversed: reversed, expecting: expecting) { key, value in
            found.append(Array(key) + Array(value))
            return found.count < countMax
        }
        return found
    }

    @Test("each reads every range as it was, on as many threads", arguments: EngineCase.all)
    func scans(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let model = try Self.filled(engine)
        let shared = SharedSnapshot(try engine.snapshot())
        try OwnedBatch(removing: KeyRange(lower: [2], upper: nil)).commit(to: engine)
        let seed = SeededGenerator.testSeed("shared snapshots")
        try runThreads(4) { thread in
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            let reader = SharedSnapshotReader(shared)
            defer { reader.close() }
            for _ in 0..<60 {
                let lower = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    UInt8.random(in: 0...16, using: &random)
                }
                let upper =
                    Bool.random(using: &random) ? nil : [UInt8.random(in: 0...16, using: &random)]
                let range = KeyRange(lower: lower, upper: upper)
                let isReversed = Bool.random(using: &random)
                let expecting = [0, 1, 63, 256, 5000].randomElement(using: &random) ?? 1
                let expected = model.scan(range, reversed: isReversed).map { $0.key + $0.value }
                let found = try Self.scan(
                    reader, range, reversed: isReversed, expecting: expecting)
                #expect(found == expected, "\(range), reversed: \(isReversed), \(expecting)")
                let some = try Self.scan(
                    reader, range, reversed: isReversed, expecting: expecting, countMax: 300)
                #expect(some == Array(expected.prefix(300)))
            }
        }
        engine.close()
    }

    @Test(
        "a scan's body calls the snapshot, and what it was handed stays", arguments: EngineCase.all)
    func calls(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        _ = try Self.filled(engine)
        let reader = SharedSnapshotReader(SharedSnapshot(try engine.snapshot()))
        var handed: [UnsafeRawBufferPointer] = []
        try reader.scan(KeyRange(prefix: []), reversed: false, expecting: 1) { key, value in
            handed.append(value)
            let again = try? reader.value(forKey: key)
            return again?.elementsEqual(value) ?? false
        }
        #expect(handed.count == Self.entryCount + 1)
        #expect(handed.allSatisfy { $0.count == 1 || $0.last == 7 })
        #expect(reader.entriesRead == 2 * handed.count)
        reader.close()
        #expect(throws: StorageError.self) { _ = try reader.value([1, 1]) }
        engine.close()
    }
}
