import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

/// Checkpoints of many transactions, cut off between any two of them by a disk that fails.
@Suite("LMDB checkpoints that are cut off")
struct LMDBCheckpointTests {
    private static let keys = (1...20).map { "k\($0)" }
    /// How many transactions a checkpoint of all keys has.
    private static let transactionCount = 7

    private let disk: Interposer

    init() throws { disk = try Interposer() }

    /// A process whose checkpoints have transactions of three changes, and are made when it is told.
    private func start(
        _ directory: TemporaryDirectory, _ environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let small = ["HOLDFAST_CHECKPOINT_MS": "3600000", "HOLDFAST_CHECKPOINT_CHANGES": "3"]
        let child = ChildProcess(
            ChildProcess.path(ofProduct: "HoldfastStorageProbe"), ["obey", directory.path],
            environment: disk.environment.merging(small) { $1 }.merging(environment) { $1 })
        try #require(child.readLine() == "ready")
        return child
    }

    private func open(_ directory: TemporaryDirectory) throws(StorageError) -> LMDBEngine {
        try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount,
                checkpointMilliseconds: 3_600_000, checkpointChangeCount: 3))
    }

    private func lengths(_ engine: LMDBEngine) throws -> [String: Int] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return Dictionary(
            uniqueKeysWithValues: try snapshot.contents().map {
                (String(decoding: $0.key, as: UTF8.self), $0.value.count)
            })
    }

    /// Opens a store that a crash has left, and again after a checkpoint.
    private func expect(
        _ expected: [String: Int], in directory: TemporaryDirectory, _ note: String
    ) throws {
        let engine = try open(directory)
        defer { engine.close() }
        #expect(try lengths(engine) == expected, "\(note)")
        try engine.checkpoint()
        #expect(try lengths(engine) == expected, "\(note), after a checkpoint")
    }

    /// The data file of a store, beside other journal files.
    private func copy(
        _ directory: TemporaryDirectory, beside journals: [String: [UInt8]]
    ) throws -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        for name in ["holdfast.mdb", "holdfast.format"] {
            let bytes = try #require(TemporaryDirectory.contents("\(directory.path)/\(name)"))
            TemporaryDirectory.write(bytes, to: "\(copy.path)/\(name)")
        }
        for (name, bytes) in journals {
            TemporaryDirectory.write(bytes, to: "\(copy.path)/\(name)")
        }
        return copy
    }

    @Test("lose no commit, nor one that came after they began")
    func cutOffAnywhere() throws {
        let later = try laterJournals()
        let values = Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, 20) })
        var laterValues = values
        laterValues["k1"] = nil
        laterValues["k2"] = 30
        laterValues["l"] = 1
        // Those of the transactions, and the journal's when it lets the records go.
        for syncCount in 0...Self.transactionCount + 1 {
            let directory = TemporaryDirectory()
            let child = try start(directory)
            for key in Self.keys { #expect(child.ask("put \(key) 10")?.hasPrefix("ok") == true) }
            #expect(child.ask("checkpoint") == "ok")
            for key in Self.keys { #expect(child.ask("put \(key) 20")?.hasPrefix("ok") == true) }
            disk.skipSyncs(syncCount)
            disk.set(.syncFail)
            let answer = child.ask("checkpoint")
            #expect((answer == "ok") == (syncCount > Self.transactionCount))
            #expect(Self.keys.allSatisfy { child.ask("get \($0)") == "value 20" })
            disk.clear(.syncFail)
            child.kill()
            child.wait()
            let besideBoth = try copy(directory, beside: later.whileUnderWay)
            let besideLast = try copy(directory, beside: later.afterwards)
            try expect(values, in: directory, "\(syncCount) syncs")
            try expect(laterValues, in: besideBoth, "\(syncCount) syncs, with later commits")
            // Where the journal has let go of what the data file lacks, it is of another moment.
            if syncCount < Self.transactionCount {
                let error = #expect(throws: StorageError.self) { try open(besideLast) }
                #expect(error?.code == .corrupted)
            } else {
                try expect(laterValues, in: besideLast, "\(syncCount) syncs, and let go")
            }
        }
    }

    /// The journal files of a process that did the same, and then committed more: with the records of the
    /// checkpoint, and without.
    private func laterJournals() throws -> (
        whileUnderWay: [String: [UInt8]], afterwards: [String: [UInt8]]
    ) {
        let directory = TemporaryDirectory()
        let engine = try open(directory)
        defer { engine.close() }
        func journal(_ file: Int) throws -> [UInt8] {
            try #require(
                TemporaryDirectory.contents("\(directory.path)/holdfast.mdb-journal-\(file)"))
        }
        for byteCount in [10, 20] {
            for key in Self.keys {
                try OwnedBatch([Array(key.utf8): Array(repeating: 118, count: byteCount)])
                    .commit(to: engine)
            }
            if byteCount == 10 { try engine.checkpoint() }
        }
        let frozen = try journal(1)
        try engine.checkpoint()
        try OwnedBatch(removing: [Array("k1".utf8)]).commit(to: engine)
        try OwnedBatch([Array("k2".utf8): Array(repeating: 118, count: 30)]).commit(to: engine)
        try OwnedBatch([Array("l".utf8): [1]]).commit(to: engine)
        let names = (0...1).map { "holdfast.mdb-journal-\($0)" }
        let active = try journal(0)
        return (
            [names[0]: active, names[1]: frozen], [names[0]: active, names[1]: try journal(1)]
        )
    }

    @Test("leave a journal that can't be cut for want of room, and takes commits all the same")
    func fullShrink() throws {
        let directory = TemporaryDirectory()
        let child = try start(directory, ["HOLDFAST_INTERPOSE_MATCH": "journal"])
        #expect(child.ask("put a 2000000") == "ok 1")
        disk.set(.writeFull)
        _ = child.ask("checkpoint")
        disk.clear(.writeFull)
        for (number, key) in ["b", "c", "d", "e"].enumerated() {
            #expect(child.ask("put \(key) 10") == "ok \(number + 2)")
            // The next ones are for the file that could not be cut.
            if number == 0 { #expect(child.ask("checkpoint") == "ok") }
        }
        child.kill()
        child.wait()
        try expect(["a": 2_000_000, "b": 10, "c": 10, "d": 10, "e": 10], in: directory, "")
    }
}
