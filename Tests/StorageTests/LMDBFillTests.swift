import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

/// Runs of new keys in the middle of the tree: how full its pages are, and that nothing gets lost.
@Suite("LMDB's pages")
struct LMDBFillTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> LMDBEngine {
        // Checkpoints come when they are asked for, however long a test takes.
        try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount,
                checkpointMilliseconds: 3_600_000))
    }

    private func key(_ kind: UInt8, _ number: Int) -> [UInt8] {
        [kind] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private func run(_ kind: UInt8, _ numbers: Range<Int>, byteCount: Int) -> OwnedBatch {
        OwnedBatch(
            Dictionary(
                uniqueKeysWithValues: numbers.map {
                    (key(kind, $0), [UInt8](repeating: UInt8($0 & 0xFF), count: byteCount))
                }))
    }

    /// Applies a batch to the tree at once.
    private func apply(_ batch: OwnedBatch, to engine: LMDBEngine) throws {
        let snapshot = try engine.snapshot()
        snapshot.close()
        let transaction = try engine.beginWrite(base: snapshot.commit)
        defer { transaction.close() }
        try batch.apply(to: transaction)
        _ = try transaction.commitAll()
    }

    /// How many leaves `body` adds to the tree for each that the bytes of its entries fill.
    private func leavesPerFilledLeaf(
        _ engine: LMDBEngine, entryCount: Int, byteCount: Int, _ body: () throws -> Void
    ) throws -> Double {
        let before = try engine.information()
        try body()
        let after = try engine.information()
        #expect(after.entryCount - before.entryCount == entryCount)
        // An entry has ten bytes of its own in a leaf, a leaf sixteen.
        let filled = entryCount * (5 + byteCount + 10) / (before.pageByteCount - 16)
        return Double(after.leafPageCount - before.leafPageCount) / Double(filled)
    }

    private func contents(_ engine: LMDBEngine) throws -> [[UInt8]: [UInt8]] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.contents()
    }

    @Test(
        "stay full when a run of new keys comes before others, many or few",
        arguments: [10, 20_000])
    func runBeforeOthers(followerCount: Int) throws {
        let engine = try open()
        defer { engine.close() }
        try apply(run(1, 0..<2000, byteCount: 30), to: engine)
        try apply(run(9, 0..<followerCount, byteCount: 30), to: engine)
        for first in [0, 10_000] {
            let share = try leavesPerFilledLeaf(engine, entryCount: 10_000, byteCount: 25) {
                try apply(run(5, first..<first + 10_000, byteCount: 25), to: engine)
            }
            #expect(share < 1.1)
        }
    }

    @Test("stay full when a value that follows lies on pages of its own")
    func runBeforeLongValue() throws {
        let engine = try open()
        defer { engine.close() }
        let long = [UInt8](repeating: 7, count: 30_000)
        try apply(OwnedBatch([key(6, 0): long]), to: engine)
        try apply(run(9, 0..<20_000, byteCount: 30), to: engine)
        let share = try leavesPerFilledLeaf(engine, entryCount: 10_000, byteCount: 25) {
            try apply(run(5, 0..<10_000, byteCount: 25), to: engine)
        }
        #expect(share < 1.1)
        #expect(try contents(engine)[key(6, 0)] == long)
    }

    @Test("stay full when the keys of a run came by many commits and one checkpoint")
    func runOfManyCommits() throws {
        let engine = try open()
        defer { engine.close() }
        try apply(run(9, 0..<20_000, byteCount: 30), to: engine)
        let share = try leavesPerFilledLeaf(engine, entryCount: 10_000, byteCount: 25) {
            for first in stride(from: 0, to: 10_000, by: 500) {
                try run(5, first..<first + 500, byteCount: 25).commit(to: engine)
            }
            try engine.checkpoint()
        }
        #expect(share < 1.1)
    }

    @Test("are used again while commits in random order change nearly all of them")
    func randomOrder() throws {
        let engine = try open()
        defer { engine.close() }
        let seed = SeededGenerator.testSeed("random order")
        var random = SeededGenerator(seed: seed)
        var numbers = Array(0..<60_000)
        for _ in 0..<3 {
            numbers.shuffle(using: &random)
            for first in stride(from: 0, to: numbers.count, by: 20_000) {
                let batch = Dictionary(
                    uniqueKeysWithValues: numbers[first..<first + 20_000].map {
                        (key(1, $0), [UInt8](repeating: 7, count: 60))
                    })
                try OwnedBatch(batch).commit(to: engine)
                try engine.checkpoint()
            }
        }
        let information = try engine.information()
        let usedCount = information.leafPageCount + information.branchPageCount
        // By one transaction for each checkpoint it would be three times as many.
        #expect(
            information.mapUsedByteCount / information.pageByteCount < usedCount * 3 / 2,
            "seed \(seed)")
    }

    @Test("have what a plain model has, whatever runs, removals and replacements come together")
    func randomRuns() throws {
        let seed = SeededGenerator.testSeed("randomRuns")
        var random = SeededGenerator(seed: seed)
        let engine = try open()
        defer { engine.close() }
        var model = ModelStore()
        for round in 0..<SeededGenerator.scaled(25) {
            let batch = randomBatch(model, &random)
            if Bool.random(using: &random) {
                try apply(batch, to: engine)
            } else {
                try batch.commit(to: engine)
                if Bool.random(using: &random) { try engine.checkpoint() }
            }
            model.apply(batch)
            #expect(try contents(engine) == model.entries, "round \(round) of \(seed)")
        }
        try engine.checkpoint()
        #expect(try contents(engine) == model.entries, "\(seed)")
        #expect(try engine.information().entryCount == model.entries.count)
    }

    /// Runs of every length between what there is and over it, with changes of what there is.
    private func randomBatch(
        _ model: ModelStore, _ random: inout SeededGenerator
    ) -> OwnedBatch {
        var batch = OwnedBatch()
        func value() -> [UInt8] {
            let byteCount =
                switch Int.random(in: 0..<60, using: &random) {
                case 0: Int.random(in: 1_900..<90_000, using: &random)
                case 1..<10: Int.random(in: 100..<1_900, using: &random)
                default: Int.random(in: 0..<60, using: &random)
                }
            return [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: byteCount)
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let kind = UInt8.random(in: 1...4, using: &random)
            let first = Int.random(in: 0..<20_000, using: &random)
            let step = Int.random(in: 1...3, using: &random)
            let count = Int.random(in: 0...1, using: &random) == 0 ? 40 : 2_000
            for index in 0..<Int.random(in: 1...count, using: &random) {
                batch.changes[key(kind, first + index * step)] = .some(
                    [UInt8](repeating: UInt8(index & 0xFF), count: 20))
            }
        }
        for key in model.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) })
        where Int.random(in: 0..<12, using: &random) == 0 {
            batch.changes[key] = Bool.random(using: &random) ? .some(value()) : .some(nil)
        }
        for _ in 0..<Int.random(in: 0...60, using: &random) {
            let key = key(
                UInt8.random(in: 1...4, using: &random), Int.random(in: 0..<30_000, using: &random))
            batch.changes[key] =
                Int.random(in: 0..<4, using: &random) == 0 ? .some(nil) : .some(value())
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            let first = Int.random(in: 0..<20_000, using: &random)
            let kind = UInt8.random(in: 1...4, using: &random)
            batch.removedRanges = [
                KeyRange(lower: key(kind, first), upper: key(kind, first + 3_000))
            ]
        }
        return batch
    }

    @Test(
        "that a reader held back while much was written are used again when it has ended",
        arguments: [3000, 30_000])
    func pagesHeldByReader(byteCount: Int) throws {
        let engine = try open()
        defer { engine.close() }
        let entryCount = 6_000_000 / byteCount
        func rewrite(_ rounds: Range<Int>) throws {
            for round in rounds {
                var batch = OwnedBatch()
                for index in 0..<entryCount {
                    batch.changes[key(5, index)] = [UInt8](
                        repeating: UInt8(round & 0xFF), count: byteCount)
                }
                try batch.commit(to: engine)
                try engine.checkpoint()
            }
        }
        try rewrite(0..<2)
        let alone = try engine.information().mapUsedByteCount
        let reader = try engine.snapshot()
        try rewrite(2..<7)
        let held = try engine.information().mapUsedByteCount
        // Nothing that the reader sees, and nothing freed since, could be used.
        #expect(held > alone * 2)
        reader.close()
        try rewrite(7..<12)
        #expect(try engine.information().mapUsedByteCount <= held)
    }
}
