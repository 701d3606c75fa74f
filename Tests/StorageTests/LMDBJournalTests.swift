import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

@Suite("The journal before LMDB's tree")
struct LMDBJournalTests {
    private let directory = TemporaryDirectory()
    /// What stands before the records of a journal file.
    private static let headerByteCount = 24
    private static let journals = ["holdfast.mdb-journal-0", "holdfast.mdb-journal-1"]

    /// No checkpoint comes by itself.
    private func open(
        _ path: String? = nil, checkpointByteCount: Int = 1 << 30,
        checkpointChangeCount: Int = 4096, durability: LMDBOptions.Durability = .full
    ) throws(StorageError) -> LMDBEngine {
        try LMDBEngine(
            LMDBOptions(
                directory: path ?? directory.path, mapByteCount: 256 << 20, durability: durability,
                checkpointMilliseconds: 3_600_000, checkpointByteCount: checkpointByteCount,
                checkpointChangeCount: checkpointChangeCount))
    }

    private func contents(_ engine: LMDBEngine) throws -> [[UInt8]: [UInt8]] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.contents()
    }

    /// The files of a store as a power cut would leave them, in a directory of their own.
    private func copy(of other: TemporaryDirectory? = nil) throws -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        for name in ["holdfast.mdb", "holdfast.format"] + Self.journals {
            let path = "\((other ?? directory).path)/\(name)"
            let bytes = try #require(TemporaryDirectory.contents(path))
            TemporaryDirectory.write(bytes, to: "\(copy.path)/\(name)")
        }
        return copy
    }

    private func contentsAfterPowerCut() throws -> [[UInt8]: [UInt8]] {
        let cut = try copy()
        let engine = try open(cut.path)
        defer { engine.close() }
        return try contents(engine)
    }

    private func journalFile(of directory: TemporaryDirectory, _ file: Int) throws -> [UInt8] {
        try #require(TemporaryDirectory.contents("\(directory.path)/\(Self.journals[file])"))
    }

    /// A file without the zeros behind its last record.
    private func journal(of directory: TemporaryDirectory, _ file: Int) throws -> [UInt8] {
        let bytes = try journalFile(of: directory, file)
        let end = bytes.lastIndex { $0 != 0 }.map { ($0 / 8 + 1) * 8 } ?? 0
        return Array(bytes.prefix(end))
    }

    private func contents(
        of directory: TemporaryDirectory, _ bytes: [UInt8], _ file: Int
    ) throws -> [[UInt8]: [UInt8]] {
        TemporaryDirectory.write(bytes, to: "\(directory.path)/\(Self.journals[file])")
        let engine = try open(directory.path)
        defer { engine.close() }
        return try contents(engine)
    }

    @Test("commits that only the journal has are there after a power cut")
    func recovered() throws {
        let engine = try open()
        try OwnedBatch([[1]: [1], [2]: [2]]).commit(to: engine)
        try engine.checkpoint()
        var batch = OwnedBatch([[3]: [3], [1]: [9]])
        batch.changes[[2]] = .some(nil)
        try batch.commit(to: engine)
        let cut = try copy()
        let reopened = try open(cut.path)
        #expect(try contents(reopened) == [[1]: [9], [3]: [3]])
        try OwnedBatch([[4]: [4]]).commit(to: reopened)
        try reopened.checkpoint()
        #expect(try contents(reopened) == [[1]: [9], [3]: [3], [4]: [4]])
        reopened.close()
        for file in 0...1 { #expect(try journal(of: cut, file).isEmpty) }
        engine.close()
    }

    @Test("a journal that ends anywhere behind its header has the commits whose records are whole")
    func everyPrefix() throws {
        let engine = try open()
        var states: [[[UInt8]: [UInt8]]] = [[:]]
        for number in UInt8(1)...4 {
            try OwnedBatch([[number]: [number, number], [9]: [number]]).commit(to: engine)
            states.append(try contents(engine))
        }
        let cut = try copy()
        engine.close()
        let whole = try journal(of: cut, 0)
        let byteCount = (whole.count - Self.headerByteCount) / 4
        for count in Self.headerByteCount...whole.count {
            let there = try copy(of: cut)
            let recordCount = (count - Self.headerByteCount) / byteCount
            let prefix = Array(whole.prefix(count))
            #expect(try contents(of: there, prefix, 0) == states[recordCount], "\(count) bytes")
            // Behind the records a file has zeros, which a record may end with as well.
            let filled = prefix + [UInt8](repeating: 0, count: 10_000)
            let next = whole.prefix(Self.headerByteCount + (recordCount + 1) * byteCount)
            let isNextWhole = next.count > count && filled.starts(with: next)
            let found = try contents(of: copy(of: cut), filled, 0)
            #expect(found == states[recordCount + (isNextWhole ? 1 : 0)], "\(count) bytes, zeros")
        }
    }

    @Test("records of every length, within blocks and over them, are there after a power cut")
    func lengths() throws {
        let engine = try open()
        var expected: [[UInt8]: [UInt8]] = [:]
        let lengths = [
            1, 3900, 4096, 4095, 8192, 10, 262_000, 262_144, 300_000, 1, 4050, 20, 500_000, 7,
        ]
        for _ in 0..<3 {
            for (number, length) in lengths.enumerated() {
                let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number &+ 1) }
                try OwnedBatch([[UInt8(number)]: value]).commit(to: engine)
                expected[[UInt8(number)]] = value
                #expect(try contentsAfterPowerCut() == expected)
            }
            try engine.checkpoint()
        }
        engine.close()
    }

    @Test("a damaged record before a whole one is refused; a damaged last one was never finished")
    func damage() throws {
        let engine = try open()
        try OwnedBatch([[1]: [1]]).commit(to: engine)
        try OwnedBatch([[2]: [2]]).commit(to: engine)
        let cut = try copy()
        engine.close()
        let whole = try journal(of: cut, 0)
        for position in whole.indices {
            var bytes = whole
            bytes[position] ^= 0x40
            let there = try copy(of: cut)
            TemporaryDirectory.write(bytes, to: "\(there.path)/\(Self.journals[0])")
            var found: [[UInt8]: [UInt8]]?
            do throws(StorageError) {
                let engine = try open(there.path)
                found = try? contents(engine)
                engine.close()
            } catch {
                #expect(error.code == .corrupted)
                #expect(error.native?.contains("damaged") == true)
            }
            let isLast = position >= (whole.count + Self.headerByteCount) / 2
            #expect(found == (isLast ? [[1]: [1]] : nil), "byte \(position)")
        }
    }

    @Test("commits of two files follow each other, or the store isn't opened")
    func hole() throws {
        let engine = try open()
        for key in UInt8(1)...3 { try OwnedBatch([[key]: [key]]).commit(to: engine) }
        let cut = try copy()
        try engine.checkpoint()
        for key in UInt8(4)...5 { try OwnedBatch([[key]: [key]]).commit(to: engine) }
        let later = try journal(of: copy(), 1)
        engine.close()
        // As in the middle of the checkpoint.
        let whole = try contents(of: copy(of: cut), later, 1)
        #expect(whole == [[1]: [1], [2]: [2], [3]: [3], [4]: [4], [5]: [5]])
        for change in 0..<2 {
            var older = try journal(of: cut, 0)
            if change == 0 { older[older.count - 20] ^= 1 } else { older.removeLast(8) }
            let there = try copy(of: cut)
            TemporaryDirectory.write(older, to: "\(there.path)/\(Self.journals[0])")
            TemporaryDirectory.write(later, to: "\(there.path)/\(Self.journals[1])")
            do throws(StorageError) {
                try open(there.path).close()
                Issue.record("a store without its third commit was opened")
            } catch {
                #expect(error.code == .corrupted)
            }
        }
    }

    @Test("what was given up behind a torn commit never comes back")
    func torn() throws {
        let engine = try open(durability: .relaxed)
        for key in UInt8(1)...3 { try OwnedBatch([[key]: [key]]).commit(to: engine) }
        let cut = try copy()
        engine.close()
        var bytes = try journal(of: cut, 0)
        bytes[Self.headerByteCount + 50] ^= 1
        TemporaryDirectory.write(bytes, to: "\(cut.path)/\(Self.journals[0])")
        let reopened = try open(cut.path)
        #expect(try contents(reopened).isEmpty)
        try OwnedBatch([[9]: [9]]).commit(to: reopened)
        let later = try copy(of: cut)
        let again = try open(later.path)
        #expect(try contents(again) == [[9]: [9]])
        again.close()
        reopened.close()
    }

    @Test("records of an earlier use of a file are not read again")
    func reused() throws {
        let engine = try open()
        for number in UInt8(1)...3 {
            for key in UInt8(1)...20 { try OwnedBatch([[key]: [number]]).commit(to: engine) }
            try engine.checkpoint()
        }
        try OwnedBatch([[1]: [8]]).commit(to: engine)
        var expected = try contents(engine)
        #expect(try contentsAfterPowerCut() == expected)
        try engine.checkpoint()
        try OwnedBatch(removing: [[2]]).commit(to: engine)
        expected[[2]] = nil
        #expect(try contentsAfterPowerCut() == expected)
        engine.close()
    }

    @Test("a checkpoint that was made, and a journal that wasn't told, agree")
    func betweenTreeAndJournal() throws {
        let engine = try open()
        try OwnedBatch([[1]: [1]]).commit(to: engine)
        let before = try copy()
        try engine.checkpoint()
        let after = try copy()
        // The tree of after the checkpoint, the journal of before it.
        let there = try copy(of: after)
        #expect(try contents(of: there, try journal(of: before, 0), 0) == [[1]: [1]])
        // The journal goes on after a checkpoint that the tree doesn't have: files of two stores.
        try OwnedBatch([[2]: [2]]).commit(to: engine)
        let later = try copy()
        for file in 0...1 {
            TemporaryDirectory.write(
                try journal(of: later, file), to: "\(before.path)/\(Self.journals[file])")
        }
        TemporaryDirectory.write([], to: "\(before.path)/\(Self.journals[0])")
        #expect(throws: StorageError.self) { try open(before.path) }
        engine.close()
    }

    @Test("files that have grown are cut when nothing more comes")
    func idle() throws {
        let engine = try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: 256 << 20, durability: .relaxed,
                checkpointMilliseconds: 10))
        defer { engine.close() }
        func byteCount() throws -> Int {
            try (0...1).reduce(0) { $0 + (try journalFile(of: directory, $1)).count }
        }
        // Long enough for a checkpoint that doesn't wait.
        try OwnedBatch([[1]: [UInt8](repeating: 1, count: 10 << 20)]).commit(to: engine)
        for _ in 0..<3000 where try byteCount() > 2 << 20 { usleep(10_000) }
        #expect(try byteCount() <= 2 << 20)
        #expect(try contents(engine)[[1]]?.count == 10 << 20)
    }

    @Test("files don't grow with each use, however long the records are")
    func bounded() throws {
        let engine = try open(checkpointByteCount: 1 << 20)
        defer { engine.close() }
        for number in 0..<200 {
            let value = [UInt8](repeating: UInt8(number % 251), count: 300_000)
            try OwnedBatch([[UInt8(number % 7)]: value]).commit(to: engine)
        }
        for file in 0...1 { #expect(try journalFile(of: directory, file).count <= 6 << 20) }
    }

    @Test("commits that remove what was never in the tree can be checkpointed")
    func emptyCheckpoint() throws {
        let engine = try open()
        for _ in 0..<3 {
            try OwnedBatch([[1]: [1]]).commit(to: engine)
            try OwnedBatch(removing: [[1]]).commit(to: engine)
            try engine.checkpoint()
            #expect(try contentsAfterPowerCut().isEmpty)
        }
        engine.close()
    }

    @Test("a store of the format before is opened, marked as one of the present, and goes on")
    func formerFormat() throws {
        let engine = try open()
        // The first file's records of its first use have its mark, alone or behind those of its second.
        for number in UInt8(1)...20 { try OwnedBatch([[1]: [number]]).commit(to: engine) }
        let firstMark = try journal(of: copy(), 0)[8..<16]
        try engine.checkpoint()
        try OwnedBatch([[2]: [2]]).commit(to: engine)
        let besideDone = try copy()
        try engine.checkpoint()
        try OwnedBatch([[3]: [3], [1]: [99]]).commit(to: engine)
        let alone = try copy()
        try engine.checkpoint()
        try OwnedBatch([[4]: [4]]).commit(to: engine)
        let besideFrozen = try copy()
        // As before the checkpoint that the first file is waiting for.
        for name in ["holdfast.mdb", Self.journals[0]] {
            let bytes = try #require(TemporaryDirectory.contents("\(alone.path)/\(name)"))
            TemporaryDirectory.write(bytes, to: "\(besideFrozen.path)/\(name)")
        }
        engine.close()
        let states: [(TemporaryDirectory, [[UInt8]: [UInt8]])] = [
            (besideDone, [[1]: [20], [2]: [2]]), (alone, [[1]: [99], [2]: [2], [3]: [3]]),
            (besideFrozen, [[1]: [99], [2]: [2], [3]: [3], [4]: [4]]),
        ]
        for (cut, found) in states {
            var expected = found
            for file in 0...1 { try makePast(cut, file, leftover: file == 0 ? firstMark : []) }
            TemporaryDirectory.write(
                Array("holdfast-lmdb 2\n".utf8), to: "\(cut.path)/holdfast.format")
            let reopened = try open(cut.path)
            #expect(try contents(reopened) == expected)
            #expect(
                TemporaryDirectory.contents("\(cut.path)/holdfast.format")
                    == Array("holdfast-lmdb 3\nopen full\n".utf8))
            for file in 0...1 {
                #expect(try journal(of: cut, file).prefix(8) == Array("HFJRNAL3".utf8)[...])
            }
            // A store that is opened with a journal begins a checkpoint by itself, one that is opened without does
            // not: its files, which are copied one after the other, must not change meanwhile.
            reopened.close()
            let settled = try open(cut.path)
            try OwnedBatch([[5]: [5]]).commit(to: settled)
            expected[[5]] = [5]
            let later = try copy(of: cut)
            let again = try open(later.path)
            #expect(try contents(again) == expected)
            again.close()
            try settled.checkpoint()
            #expect(try contents(settled) == expected)
            settled.close()
        }
    }

    /// Gives a journal file the form in which a mark outlives a use of the file, so that records of an earlier
    /// use, with the mark `leftover`, have it too.
    private func makePast(
        _ directory: TemporaryDirectory, _ file: Int, leftover: ArraySlice<UInt8>
    ) throws {
        var bytes = try journal(of: directory, file)
        guard bytes.count >= Self.headerByteCount else { return }
        let mark = bytes[8..<16]
        bytes.replaceSubrange(0..<8, with: Array("HFJOURN2".utf8))
        for position in stride(from: Self.headerByteCount, to: bytes.count, by: 8)
        where bytes[position...].starts(with: leftover) && !leftover.isEmpty {
            bytes.replaceSubrange(position..<position + 8, with: mark)
        }
        TemporaryDirectory.write(bytes, to: "\(directory.path)/\(Self.journals[file])")
    }

    @Test(
        "snapshots, scans and gets agree with a model while commits and checkpoints go on",
        arguments: [4096, 3])
    func model(checkpointChangeCount: Int) throws {
        let seed = SeededGenerator.testSeed("journal")
        var random = SeededGenerator(seed: seed)
        func open() throws(StorageError) -> LMDBEngine {
            try self.open(
                checkpointByteCount: 20_000, checkpointChangeCount: checkpointChangeCount)
        }
        var engine = try open()
        var model = ModelStore()
        var held: [(snapshot: any StorageSnapshot, model: ModelStore)] = []
        func key() -> [UInt8] {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in
                UInt8.random(in: 0...7, using: &random)
            }
        }
        for step in 0..<SeededGenerator.scaled(3000) {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try engine.checkpoint()
            case 1:
                held.append((try engine.snapshot(), model))
                if held.count > 4 { held.removeFirst().snapshot.close() }
            case 2 where step % 10 == 0:
                for (snapshot, _) in held { snapshot.close() }
                held = []
                engine.close()
                engine = try open()
            case 3:
                var batch = OwnedBatch()
                batch.removedRanges = [KeyRange(prefix: key())]
                try batch.commit(to: engine)
                model.apply(batch)
            default:
                var batch = OwnedBatch()
                for _ in 0..<Int.random(in: 1...30, using: &random) {
                    let value = [UInt8](
                        repeating: UInt8(step % 256), count: Int.random(in: 0...40, using: &random))
                    batch.changes[key()] = Bool.random(using: &random) ? value : .some(nil)
                }
                try batch.commit(to: engine)
                model.apply(batch)
            }
            let (snapshot, expected) =
                try held.randomElement(using: &random) ?? (engine.snapshot(), model)
            let range = KeyRange(lower: key(), upper: Bool.random(using: &random) ? key() : nil)
            for reversed in [false, true] {
                var found: [[UInt8]] = []
                try snapshot.scan(range, reversed: reversed, expecting: 1) { key, value in
                    found.append(Array(key))
                    found.append(Array(value))
                    return true
                }
                let entries = expected.scan(range, reversed: reversed)
                #expect(
                    found == entries.flatMap { [$0.key, $0.value] }, "seed \(seed), step \(step)")
            }
            let probe = key()
            #expect(
                try snapshot.bytes(forKey: probe) == expected.entries[probe],
                "seed \(seed), step \(step)")
        }
        for (snapshot, expected) in held {
            #expect(try snapshot.contents() == expected.entries, "seed \(seed)")
            snapshot.close()
        }
        #expect(try contents(engine) == model.entries, "seed \(seed)")
        engine.close()
    }
}
