import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

/// Commits of a process whose disk is in the test's hands, see `Tests/Interpose/interpose.c`.
@Suite("LMDB and the disk's answers")
struct LMDBSyncTests {
    private let directory = TemporaryDirectory()
    private let disk: Interposer
    private let child: ChildProcess

    init() throws {
        disk = try Interposer()
        // Checkpoints come when they are asked for: one of the store's own would sync beside a commit.
        child = ChildProcess(
            ChildProcess.path(ofProduct: "HoldfastStorageProbe"), ["obey", directory.path],
            environment: disk.environment.merging(["HOLDFAST_CHECKPOINT_MS": "3600000"]) { $1 })
        try #require(child.readLine() == "ready")
        try #require(child.ask("put a 10") == "ok 1")
    }

    /// Kills the process, and opens its store here.
    private func killAndReopen() throws -> LMDBEngine {
        child.kill()
        child.wait()
        return try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount))
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

    @Test(
        "where a record can't go past the page cache, it is written and synced",
        arguments: [Interposer.Behaviour.directRefused, .directFull])
    func indirect(fault: Interposer.Behaviour) throws {
        let before = disk.syncCount
        disk.set(fault)
        #expect(child.ask("put a 20") == "ok 2")
        disk.clear(fault)
        #expect(child.ask("put b 30") == "ok 3")
        #expect(disk.syncCount == before + 2)
        let engine = try killAndReopen()
        defer { engine.close() }
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.contents().count == 2)
        #expect(snapshot.commit == 3)
    }

    @Test(
        "a full medium that takes no write at all refuses commits, and writes go on when it has room"
    )
    func allFull() throws {
        // The second time the file is not written past the page cache any more.
        for round in 0..<2 {
            disk.set(.allFull)
            for _ in 0..<3 {
                let refusal = child.ask("put a 20")
                #expect(refusal?.hasPrefix("error diskFull") == true, "\(refusal ?? "")")
            }
            #expect(child.ask("get a") == "value 1\(round)")
            disk.clear(.allFull)
            #expect(child.ask("put a 1\(round + 1)") == "ok \(round + 2)")
        }
        let engine = try killAndReopen()
        defer { engine.close() }
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        #expect(snapshot.commit == 3)
    }

    @Test(
        "a record that a full medium has all the same, and that can't be withdrawn, ends all writing"
    )
    func allFullLate() throws {
        disk.set(.allFullLate)
        #expect(child.ask("put a 20")?.hasPrefix("error io") == true)
        disk.clear(.allFullLate)
        #expect(child.ask("put a 30")?.contains("until the store is reopened") == true)
        #expect(child.ask("get a") == "value 10")
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
        let engine = try killAndReopen()
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
