import HoldfastStorage

/// The port's promises as random operations on an engine, compared with ``ModelStore``.
///
/// Used by the tests of every engine, and by the fuzzer.
package struct StorageContract {
    /// A promise that the engine broke.
    package struct Violation: Error, CustomStringConvertible {
        /// A text that says what happened, with the seed and the number of the operation.
        package let description: String
    }

    private struct Held {
        let snapshot: any StorageSnapshot
        let model: ModelStore
        let commit: UInt64
    }

    private let engine: any StorageEngine
    private let seed: UInt64
    private var random: SeededGenerator
    private var model = ModelStore()
    private var commit: UInt64
    private var held: [Held] = []
    private var operation = 0

    /// Prepares to run on an empty engine.
    package init(_ engine: any StorageEngine, seed: UInt64) throws(StorageError) {
        self.engine = engine
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let snapshot = try engine.snapshot()
        commit = snapshot.commit
        snapshot.close()
    }

    /// Runs `count` random operations.
    ///
    /// - Throws: ``Violation``, or an error of the engine that has no business to happen.
    package mutating func run(_ count: Int) throws {
        for number in 1...count {
            operation = number
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<35: try commitBatch()
            case 35..<40: try commitOutdatedBatch()
            case 40..<45: try commitBadBatch()
            case 45..<55: try runWriteTransaction()
            case 55..<65: try takeSnapshot()
            case 65..<70: closeSnapshot()
            default: try readSnapshot()
            }
        }
        for snapshot in held { try compareAll(snapshot.snapshot, snapshot.model) }
        while !held.isEmpty { closeSnapshot() }
        let last = try engine.snapshot()
        defer { last.close() }
        try compareAll(last, model)
    }

    // MARK: Writing

    private mutating func commitBatch() throws {
        let batch = randomBatch()
        let expected = changes(batch, model) ? commit + 1 : commit
        let made = try batch.commit(to: engine, base: commit)
        try require(made == expected, "commit \(expected) is numbered \(made)")
        model.apply(batch)
        commit = made
    }

    private func commitOutdatedBatch() throws {
        guard commit > 0 else { return }
        let batch = OwnedBatch([[0x80]: []])
        for base in [commit - 1, commit + 1] {
            try expect(.conflict, "a commit on \(base) after \(commit)") {
                () throws(StorageError) in
                try batch.commit(to: engine, base: base)
            }
        }
    }

    private mutating func commitBadBatch() throws {
        var batch = randomBatch()
        let isLong = Bool.random(using: &random)
        let badKey = [UInt8](
            repeating: 0x7F, count: isLong ? engine.limits.keyByteCountMax + 1 : 0)
        batch.changes[badKey] = .some([1])
        try expect(.badKey, "a key of \(badKey.count) bytes") { () throws(StorageError) in
            try batch.commit(to: engine, base: commit)
        }
    }

    private mutating func runWriteTransaction() throws {
        let transaction = try engine.beginWrite(base: commit)
        defer { transaction.close() }
        var changed = model
        var didChange = false
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            let batch = randomBatch()
            didChange = didChange || changes(batch, changed)
            try batch.apply(to: transaction)
            changed.apply(batch)
            try compare(transaction, changed)
        }
        guard Bool.random(using: &random) else { return }
        let expected = didChange ? commit + 1 : commit
        let made = try transaction.commitAll()
        try require(made == expected, "commit \(expected) is numbered \(made)")
        model = changed
        commit = made
    }

    // MARK: Reading

    private mutating func takeSnapshot() throws {
        guard held.count < 8 else { return }
        let snapshot = try engine.snapshot()
        try require(snapshot.commit == commit, "a snapshot sees \(snapshot.commit), not \(commit)")
        held.append(Held(snapshot: snapshot, model: model, commit: commit))
    }

    private mutating func closeSnapshot() {
        guard let index = held.indices.randomElement(using: &random) else { return }
        held.remove(at: index).snapshot.close()
    }

    private mutating func readSnapshot() throws {
        if let kept = held.randomElement(using: &random) {
            try require(kept.snapshot.commit == kept.commit, "a snapshot's commit changed")
            try compare(kept.snapshot, kept.model)
        } else {
            let snapshot = try engine.snapshot()
            defer { snapshot.close() }
            try compare(snapshot, model)
        }
    }

    /// Compares some random reads.
    private mutating func compare(
        _ snapshot: any StorageSnapshot, _ model: ModelStore
    ) throws {
        let keys = (0..<5).map { _ in randomKey() }
        for key in keys {
            let value = try snapshot.bytes(forKey: key)
            try require(value == model.entries[key], "get \(key) differs")
        }
        let values = try snapshot.bytes(forKeys: keys)
        try require(values == keys.map { model.entries[$0] }, "get of many differs: \(keys)")

        let prefix = Array(randomKey().prefix(1))
        if let link = model.entries[keys[0]], link.count < 200 {
            let found = try snapshot.bytes(following: keys[0], prefix: prefix)
            let expected = model.entries[prefix + link]
            try require(found.link == link && found.value == expected, "follow \(keys[0]) differs")
        }

        let range = randomRange()
        let isReversed = Bool.random(using: &random)
        let isWhole = Bool.random(using: &random)
        let countMax = isWhole ? Int.max : Int.random(in: 1..<20, using: &random)
        let found = try snapshot.entries(range, reversed: isReversed, countMax: countMax)
        let expected = model.scan(range, reversed: isReversed).prefix(countMax)
        try require(
            found.elementsEqual(expected) { $0.key == $1.key && $0.value == $1.value },
            "scan of \(range), reversed \(isReversed), first \(countMax) differs")
    }

    private func compareAll(_ snapshot: any StorageSnapshot, _ model: ModelStore) throws {
        let contents = try snapshot.contents()
        try require(contents == model.entries, "the contents differ")
    }

    // MARK: Random input

    /// Short keys of few bytes, so that prefixes, neighbours and repetitions are common; some long.
    private mutating func randomKey() -> [UInt8] {
        let alphabet: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]
        let isLong = Int.random(in: 0..<20, using: &random) == 0
        let count =
            isLong
            ? Int.random(in: 7...engine.limits.keyByteCountMax, using: &random)
            : Int.random(in: 1...5, using: &random)
        return (0..<count).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }
    }

    private mutating func randomValue() -> [UInt8] {
        let count =
            switch Int.random(in: 0..<20, using: &random) {
            case 0: Int.random(in: 2000..<20_000, using: &random)
            case 1..<5: 0
            case 5..<12: Int.random(in: 1..<5, using: &random)
            default: Int.random(in: 1..<300, using: &random)
            }
        if count < 5 { return Array(randomKey().prefix(count)) }
        return [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: count)
    }

    private mutating func randomRange() -> KeyRange {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return KeyRange(lower: [], upper: nil)
        case 1: return KeyRange(lower: randomKey(), upper: nil)
        case 2: return KeyRange(lower: [], upper: randomKey())
        case 3: return KeyRange(prefix: Array(randomKey().prefix(2)))
        default: return KeyRange(lower: randomKey(), upper: randomKey())
        }
    }

    private mutating func randomBatch() -> OwnedBatch {
        var batch = OwnedBatch()
        if Int.random(in: 0..<6, using: &random) == 0 {
            batch.removedRanges = [KeyRange(prefix: Array(randomKey().prefix(3)))]
        }
        if Int.random(in: 0..<40, using: &random) == 0 { batch.removedRanges.append(randomRange()) }
        for _ in 0..<Int.random(in: 0..<60, using: &random) {
            let isRemoval = Int.random(in: 0..<4, using: &random) == 0
            batch.changes[randomKey()] = .some(isRemoval ? nil : randomValue())
        }
        return batch
    }

    /// Whether an engine makes a commit of `batch`: setting a key counts, whatever it held.
    private func changes(_ batch: OwnedBatch, _ model: ModelStore) -> Bool {
        batch.changes.contains { key, value in value != nil || model.entries[key] != nil }
            || batch.removedRanges.contains { !model.scan($0, reversed: false).isEmpty }
    }

    // MARK: Verdicts

    private func require(_ holds: Bool, _ problem: @autoclosure () -> String) throws {
        guard !holds else { return }
        throw Violation(
            description: "seed \(seed), operation \(operation), \(engine.name): \(problem())")
    }

    private func expect(
        _ code: StorageError.Code, _ what: String, _ body: () throws(StorageError) -> UInt64
    ) throws {
        do throws(StorageError) {
            _ = try body()
        } catch {
            try require(error.code == code, "\(what) failed with \(error.code), not \(code)")
            return
        }
        try require(false, "\(what) was accepted")
    }
}
