import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

/// A small file system in memory, unmounted with the last reference.
private final class MemoryDisk {
    let directory = TemporaryDirectory()

    init?() {
        guard mount("tmpfs", directory.path, "tmpfs", 0, "size=\(4 << 20)") == 0 else { return nil }
    }

    deinit { umount(directory.path) }
}

/// The same files under another path, where nobody can write them.
private final class ReadOnlyView {
    let directory = TemporaryDirectory()

    init?(of path: String) {
        let bind = UInt(MS_BIND)
        guard mount(path, directory.path, nil, bind, nil) == 0 else { return nil }
        let remount = bind | UInt(MS_REMOUNT | MS_RDONLY)
        guard mount(nil, directory.path, nil, remount, nil) == 0 else { return nil }
    }

    deinit { umount(directory.path) }
}

@Suite("LMDB stores that can only be read", .enabled(if: MemoryDisk() != nil, "needs mount"))
struct LMDBReadOnlyTests {
    private func options(
        _ path: String, _ access: LMDBOptions.Access = .writing
    ) -> LMDBOptions {
        var options = LMDBOptions(
            directory: path, mapByteCount: 256 << 20, checkpointMilliseconds: 3_600_000)
        options.access = access
        return options
    }

    private func contents(_ engine: LMDBEngine) throws -> [[UInt8]: [UInt8]] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        return try snapshot.contents()
    }

    /// Copies the store's files as a crash would leave them, without those that processes lock.
    private func copy(_ path: String, to other: String) throws {
        mkdir(other, 0o700)
        for name in ["holdfast.mdb", "holdfast.format"]
            + (0...1).map({ "holdfast.mdb-journal-\($0)" })
        {
            let bytes = try #require(TemporaryDirectory.contents("\(path)/\(name)"))
            TemporaryDirectory.write(bytes, to: "\(other)/\(name)")
        }
    }

    @Test("a store on a read-only medium is read with its journal, and not written")
    func readOnlyMedium() throws {
        let disk = try #require(MemoryDisk())
        let path = "\(disk.directory.path)/store"
        let crashed = "\(disk.directory.path)/crashed"
        var engine = try LMDBEngine(options(path))
        let first = try OwnedBatch([[1]: [1]]).commit(to: engine)
        try engine.checkpoint()
        try OwnedBatch([[2]: [2]]).commit(to: engine, base: first)
        try copy(path, to: crashed)
        engine.close()
        let view = try #require(ReadOnlyView(of: disk.directory.path))
        for name in ["store", "crashed"] {
            let path = "\(view.directory.path)/\(name)"
            engine = try LMDBEngine(options(path, .reading))
            #expect(try contents(engine) == [[1]: [1], [2]: [2]])
            do throws(StorageError) {
                try OwnedBatch([[3]: [3]]).commit(to: engine, base: first + 1)
                Issue.record("wrote to a medium that can't be written")
            } catch {
                #expect(error.code == .permission)
            }
            engine.close()
            do throws(StorageError) {
                try LMDBEngine(options(path)).close()
                Issue.record("opened for writing")
            } catch {
                #expect(error.code == .permission)
            }
        }
    }

    @Test("a store that is opened for reading stays as it is, and keeps writers out")
    func reading() throws {
        let directory = TemporaryDirectory()
        let engine = try LMDBEngine(options("\(directory.path)/store"))
        try OwnedBatch([[1]: [1]]).commit(to: engine)
        try copy("\(directory.path)/store", to: "\(directory.path)/crashed")
        engine.close()
        let path = "\(directory.path)/crashed"
        let names = ["holdfast.mdb", "holdfast.format", "holdfast.mdb-journal-0"]
        let before = names.map { TemporaryDirectory.contents("\(path)/\($0)") }
        let reader = try LMDBEngine(options(path, .reading))
        #expect(try contents(reader) == [[1]: [1]])
        let probe = ChildProcess(
            ChildProcess.path(ofProduct: "HoldfastStorageProbe"), ["obey", path])
        #expect(probe.readLine()?.hasPrefix("error locked") == true)
        probe.wait()
        reader.close()
        #expect(names.map { TemporaryDirectory.contents("\(path)/\($0)") } == before)
    }

    @Test("a store on a full disk is opened for reading, and for writing when there is room again")
    func fullDisk() throws {
        let disk = try #require(MemoryDisk())
        let path = "\(disk.directory.path)/store"
        let crashed = "\(disk.directory.path)/crashed"
        var engine = try LMDBEngine(options(path))
        let commit = try OwnedBatch([[1]: [1]]).commit(to: engine)
        try copy(path, to: crashed)
        engine.close()
        unlink("\(path)/holdfast.mdb-lock")
        let ballast = "\(disk.directory.path)/ballast"
        let file = Glibc.open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 0, count: 4096)
        while write(file, block, block.count) > 0 {}
        close(file)
        for path in [path, crashed] {
            engine = try LMDBEngine(options(path))
            #expect(try contents(engine) == [[1]: [1]])
            do throws(StorageError) {
                try OwnedBatch([[2]: [2]]).commit(to: engine, base: commit)
                Issue.record("wrote to a full disk")
            } catch {
                #expect(error.code == .diskFull)
            }
            engine.close()
        }
        // Gives the room back also while a child that another test is starting still holds the file.
        truncate(ballast, 0)
        for path in [path, crashed] {
            engine = try LMDBEngine(options(path))
            let snapshot = try engine.snapshot()
            let base = snapshot.commit
            snapshot.close()
            try OwnedBatch([[2]: [2]]).commit(to: engine, base: base)
            #expect(try contents(engine) == [[1]: [1], [2]: [2]])
            engine.close()
        }
    }
}
