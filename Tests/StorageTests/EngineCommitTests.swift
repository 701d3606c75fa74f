import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Commits of every engine")
struct EngineCommitTests {
    private func contents(_ engine: any StorageEngine) throws -> [[UInt8]: [UInt8]] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.contents()
    }

    private func base(_ engine: any StorageEngine) throws -> UInt64 {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return snapshot.commit
    }

    @Test("each commit has the next number, and later snapshots see it", arguments: EngineCase.all)
    func numbers(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        var last = try base(engine)
        for value in UInt8(1)...5 {
            let made = try OwnedBatch([[1]: [value]]).commit(to: engine, base: last)
            #expect(made == last + 1)
            #expect(try base(engine) == made)
            last = made
        }
        #expect(try contents(engine) == [[1]: [5]])
    }

    @Test("ranges go first, then changes", arguments: EngineCase.all)
    func rangesFirst(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        try OwnedBatch([[1]: [1], [2, 0]: [2], [2, 5]: [3], [3]: [4]]).commit(to: engine)
        var batch = OwnedBatch([[2, 5]: [9], [2, 6]: [9]])
        batch.removedRanges = [KeyRange(prefix: [2])]
        try batch.commit(to: engine)
        #expect(try contents(engine) == [[1]: [1], [2, 5]: [9], [2, 6]: [9], [3]: [4]])
    }

    @Test("removing ranges of every size leaves the rest", arguments: EngineCase.all)
    func removedRanges(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        var entries: [[UInt8]: [UInt8]] = [:]
        for number in 0..<2000 {
            let key = [UInt8(number / 256), UInt8(number % 256)]
            entries[key] = [UInt8](repeating: UInt8(number % 251), count: 60)
        }
        var model = ModelStore(entries)
        try OwnedBatch(entries).commit(to: engine)
        let ranges = [
            KeyRange(lower: [1, 5], upper: [1, 6]), KeyRange(lower: [2], upper: [5, 17]),
            KeyRange(lower: [0, 0], upper: [0, 9]), KeyRange(lower: [7, 200], upper: nil),
            KeyRange(lower: [6, 9, 9], upper: [6, 10]), KeyRange(lower: [5], upper: [4]),
            KeyRange(lower: [], upper: nil),
        ]
        for range in ranges {
            let batch = OwnedBatch(removing: range)
            try batch.commit(to: engine)
            model.apply(batch)
            #expect(try contents(engine) == model.entries, "\(range)")
        }
        #expect(model.entries.isEmpty)
    }

    @Test("a commit after another's is refused and changes nothing", arguments: EngineCase.all)
    func conflict(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let first = try base(engine)
        try OwnedBatch([[1]: [1]]).commit(to: engine, base: first)
        #expect(throws: StorageError(.conflict, operation: "commit")) {
            try OwnedBatch([[1]: [2]]).commit(to: engine, base: first)
        }
        #expect(throws: StorageError(.conflict, operation: "begin write")) {
            try engine.beginWrite(base: first)
        }
        #expect(try contents(engine) == [[1]: [1]])
        try OwnedBatch([[1]: [2]]).commit(to: engine, base: first + 1)
        #expect(try contents(engine) == [[1]: [2]])
    }

    @Test("a batch that changes nothing makes no commit", arguments: EngineCase.all)
    func nothing(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let first = try OwnedBatch([[1]: [1]]).commit(to: engine)
        #expect(try OwnedBatch().commit(to: engine, base: first) == first)
        #expect(try OwnedBatch(removing: [[2]]).commit(to: engine, base: first) == first)
        let range = KeyRange(prefix: [3])
        #expect(try OwnedBatch(removing: range).commit(to: engine, base: first) == first)
        #expect(try base(engine) == first)
        #expect(throws: StorageError(.conflict, operation: "commit")) {
            try OwnedBatch().commit(to: engine, base: first + 1)
        }
    }

    @Test(
        "keys and values at their limits are kept, above them refused whole",
        arguments: EngineCase.all)
    func limits(engineCase: EngineCase) throws {
        let engine = try engineCase.open(valueByteCountMax: 5000)
        let keyMax = engine.limits.keyByteCountMax
        #expect(keyMax == 511)
        #expect(engine.limits.valueByteCountMax == 5000)
        let atLimit: [[UInt8]: [UInt8]] = [
            [UInt8](repeating: 1, count: keyMax): [1],
            [2]: [UInt8](repeating: 2, count: 5000), [3]: [],
        ]
        try OwnedBatch(atLimit).commit(to: engine)
        #expect(try contents(engine) == atLimit)

        let refused: [([UInt8], [UInt8], StorageError.Code)] = [
            ([UInt8](repeating: 1, count: keyMax + 1), [1], .badKey), ([], [1], .badKey),
            ([2], [UInt8](repeating: 2, count: 5001), .valueTooLong),
        ]
        for (key, value, code) in refused {
            #expect(throws: StorageError(code, operation: "commit")) {
                try OwnedBatch([[0]: [0], key: value, [9]: [9]]).commit(to: engine)
            }
            #expect(try contents(engine) == atLimit)
        }
        #expect(throws: StorageError(.badKey, operation: "commit")) {
            try OwnedBatch(removing: [[]]).commit(to: engine)
        }
    }

    @Test("large values come and go", arguments: EngineCase.all)
    func largeValues(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        var model = ModelStore()
        for byteCount in [1_000_000, 3, 70_000, 2039, 2040, 0, 1 << 20] {
            let value = [UInt8](repeating: UInt8(byteCount % 255), count: byteCount)
            let batch = OwnedBatch([[1]: value])
            try batch.commit(to: engine)
            model.apply(batch)
            #expect(try contents(engine) == model.entries)
        }
        try OwnedBatch(removing: [[1]]).commit(to: engine)
        #expect(try contents(engine).isEmpty)
    }

    @Test("an engine tells how much it stores", arguments: EngineCase.all)
    func storedByteCount(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let before = try #require(engine.storedByteCount)
        try OwnedBatch([[1]: [UInt8](repeating: 1, count: 1 << 20)]).commit(to: engine)
        let after = try #require(engine.storedByteCount)
        #expect(after >= before + 1 << 20)
    }
}
