import Storage
import StorageLMDB
import Testing
import TestSupport

/// Commits of a process whose disk is in the test's hands, see `Tests/Interpose/interpose.c`.
@Suite("LMDB and the disk's answers")
struct LMDBSyncTests {
    private let directory = TemporaryDirectory()
    private let disk: Interposer
    private let child: ChildProcess

    init() throws {
        disk = try Interposer()
        child = ChildProcess(
            ChildProcess.path(ofProduct: "StorageProbe"), ["obey", directory.path],
            environment: disk.environment)
        try #require(child.readLine() == "ready")
        try #require(child.ask("put a 10") == "ok 1")
    }

    @Test("a commit returns after its sync, and not before")
    func waits() {
        let before = disk.syncCount
        disk.set(.syncBlock)
        child.send("put b 20")
        disk.waitUntilSyncWaits()
        #expect(!child.hasOutput(withinMilliseconds: 100))
        #expect(disk.syncCount == before)
        disk.clear(.syncBlock)
        #expect(child.readLine() == "ok 2")
        // One sync, of the journal; the tree's come with a checkpoint.
        #expect(disk.syncCount == before + 1)
    }

    @Test("a failed sync fails its commit, keeps the state before, and ends all writing")
    func failedSync() {
        disk.set(.syncFail)
        #expect(child.ask("put a 20")?.hasPrefix("error io") == true)
        #expect(child.ask("get a") == "value 10")
        disk.clear(.syncFail)
        let refusal = child.ask("put b 20")
        #expect(refusal?.hasPrefix("error io") == true)
        #expect(refusal?.contains("until the store is reopened") == true)
        #expect(child.ask("get a") == "value 10")
        #expect(child.ask("get b") == "none")
        #expect(child.ask("reopen") == "ok")
        #expect(child.ask("get a") == "value 10")
        #expect(child.ask("put b 20") == "ok 2")
        #expect(child.ask("get b") == "value 20")
    }

    @Test(
        "a checkpoint syncs the tree's pages, the meta page that makes them count, and then the journal that lets its records go"
    )
    func checkpoint() {
        #expect(child.ask("checkpoint") == "ok")
        let before = disk.syncCount
        #expect(child.ask("put a 20") == "ok 2")
        #expect(child.ask("checkpoint") == "ok")
        #expect(disk.syncCount == before + 4)
    }

    @Test(
        "a checkpoint that fails loses no commit, and ends all writing",
        arguments: [Interposer.Behaviour.syncFail, .metaFail])
    func failedCheckpoint(fault: Interposer.Behaviour) {
        #expect(child.ask("put a 20") == "ok 2")
        disk.set(fault)
        #expect(child.ask("checkpoint")?.hasPrefix("error io") == true)
        #expect(child.ask("get a") == "value 20")
        disk.clear(fault)
        let refusal = child.ask("put b 20")
        #expect(refusal?.hasPrefix("error io") == true)
        #expect(refusal?.contains("until the store is reopened") == true)
        #expect(child.ask("get a") == "value 20")
        #expect(child.ask("get b") == "none")
        #expect(child.ask("reopen") == "ok")
        #expect(child.ask("get a") == "value 20")
        #expect(child.ask("put b 20")?.hasPrefix("ok") == true)
        #expect(child.ask("checkpoint") == "ok")
        #expect(child.ask("get a") == "value 20")
        #expect(child.ask("get b") == "value 20")
    }

    /// A process whose checkpoints have transactions of three changes, and are made when it is told.
    private func childOfSmallCheckpoints(
        _ directory: TemporaryDirectory, _ environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let small = ["HOLDFAST_CHECKPOINT_MS": "3600000", "HOLDFAST_CHECKPOINT_CHANGES": "3"]
        let child = ChildProcess(
            ChildProcess.path(ofProduct: "StorageProbe"), ["obey", directory.path],
            environment: disk.environment.merging(small) { $1 }.merging(environment) { $1 })
        try #require(child.readLine() == "ready")
        return child
    }

    private func reopen(_ directory: TemporaryDirectory) throws(StorageError) -> LMDBEngine {
        try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount))
    }

    private func lengths(_ engine: LMDBEngine) throws -> [String: Int] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return Dictionary(
            uniqueKeysWithValues: try snapshot.contents().map {
                (String(decoding: $0.key, as: UTF8.self), $0.value.count)
            })
    }

    @Test(
        "a checkpoint of many transactions loses no commit wherever it is cut off, nor one that came after it began"
    )
    func cutOffAnywhere() throws {
        let keys = (1...20).map { "k\($0)" }
        let later = try journalsOfLaterCommits(keys)
        var failureCount = 0
        for skipCount in 0..<40 {
            let directory = TemporaryDirectory()
            let child = try childOfSmallCheckpoints(directory)
            for key in keys { #expect(child.ask("put \(key) 10")?.hasPrefix("ok") == true) }
            #expect(child.ask("checkpoint") == "ok")
            for key in keys { #expect(child.ask("put \(key) 20")?.hasPrefix("ok") == true) }
            disk.skipSyncs(skipCount)
            disk.set(.syncFail)
            let answer = child.ask("checkpoint")
            #expect(keys.allSatisfy { child.ask("get \($0)") == "value 20" })
            disk.clear(.syncFail)
            child.kill()
            child.wait()
            // The same data file beside a journal that went on meanwhile, and has not let its records go.
            let beside = TemporaryDirectory()
            for name in ["holdfast.mdb", "holdfast.format"] {
                TemporaryDirectory.write(
                    try #require(TemporaryDirectory.contents("\(directory.path)/\(name)")),
                    to: "\(beside.path)/\(name)")
            }
            for (name, bytes) in later {
                TemporaryDirectory.write(bytes, to: "\(beside.path)/\(name)")
            }
            var expected = Dictionary(uniqueKeysWithValues: keys.map { ($0, 20) })
            for place in [directory, beside] {
                if place === beside {
                    expected["k1"] = nil
                    expected["k2"] = 30
                    expected["l"] = 1
                }
                let engine = try reopen(place)
                for round in 0..<2 {
                    #expect(try lengths(engine) == expected, "\(skipCount) syncs, \(round)")
                    try engine.checkpoint()
                }
                engine.close()
            }
            if answer == "ok" { break }
            #expect(answer?.hasPrefix("error io") == true)
            failureCount += 1
        }
        // Those of seven transactions, and the journal's when it lets the records go.
        #expect(failureCount == 8)
    }

    /// The journal files of a process that was told to put all keys, to make a checkpoint, to put them again
    /// and to make another one, as they are while that is made and further commits have come.
    private func journalsOfLaterCommits(_ keys: [String]) throws -> [String: [UInt8]] {
        let directory = TemporaryDirectory()
        let engine = try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount,
                checkpointMilliseconds: 3_600_000, checkpointChangeCount: 3))
        defer { engine.close() }
        func journal(_ file: Int) throws -> (name: String, bytes: [UInt8]) {
            let name = "holdfast.mdb-journal-\(file)"
            return (name, try #require(TemporaryDirectory.contents("\(directory.path)/\(name)")))
        }
        for byteCount in [10, 20] {
            for key in keys {
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
        let active = try journal(0)
        return [frozen.name: frozen.bytes, active.name: active.bytes]
    }

    @Test("a journal that can't be cut for want of room takes commits all the same")
    func fullShrink() throws {
        let directory = TemporaryDirectory()
        let child = try childOfSmallCheckpoints(
            directory, ["HOLDFAST_INTERPOSE_MATCH": "journal"])
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
        let engine = try reopen(directory)
        #expect(
            try lengths(engine) == ["a": 2_000_000, "b": 10, "c": 10, "d": 10, "e": 10])
        engine.close()
    }

    @Test("a checkpoint without room fails, loses no commit, and is made when there is room")
    func fullCheckpoint() {
        #expect(child.ask("put a 500000") == "ok 2")
        disk.set(.writeFull)
        for _ in 0..<3 {
            #expect(child.ask("checkpoint")?.hasPrefix("error diskFull") == true)
            #expect(child.ask("get a") == "value 500000")
        }
        disk.clear(.writeFull)
        #expect(child.ask("put b 20") == "ok 3")
        #expect(child.ask("checkpoint") == "ok")
        #expect(child.ask("get a") == "value 500000")
        #expect(child.ask("get b") == "value 20")
    }

    @Test("a commit whose sync failed is not there after a kill")
    func failedSyncThenKilled() throws {
        disk.set(.syncFail)
        #expect(child.ask("put a 20")?.hasPrefix("error io") == true)
        child.kill()
        child.wait()
        let engine = try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount))
        let snapshot = try engine.snapshot()
        #expect(try snapshot.contents() == [Array("a".utf8): [UInt8](repeating: 118, count: 10)])
        snapshot.close()
        engine.close()
    }

    @Test("a full disk fails the commit, changes nothing, and later commits work again")
    func fullDisk() {
        disk.set(.writeFull)
        for _ in 0..<3 {
            #expect(child.ask("put a 500000")?.hasPrefix("error diskFull") == true)
            #expect(child.ask("get a") == "value 10")
        }
        disk.clear(.writeFull)
        #expect(child.ask("put a 500000") == "ok 2")
        #expect(child.ask("get a") == "value 500000")
    }

    @Test("a write cut short on a disk that has room is an I/O error, not a full disk")
    func shortWrite() {
        disk.set(.writeShort)
        #expect(child.ask("put a 500000")?.hasPrefix("error io") == true)
        disk.clear(.writeShort)
        #expect(child.ask("put a 20")?.hasPrefix("error io") == true)
        #expect(child.ask("reopen") == "ok")
        #expect(child.ask("get a") == "value 10")
        #expect(child.ask("put a 20") == "ok 2")
    }
}
