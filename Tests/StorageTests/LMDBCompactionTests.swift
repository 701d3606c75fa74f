import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

@Suite("LMDB's compaction")
struct LMDBCompactionTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> LMDBEngine {
        try LMDBEngine(
            LMDBOptions(
                directory: directory.path, mapByteCount: LMDBOptions.embeddedMapByteCount))
    }

    private func contents(_ engine: LMDBEngine) throws -> [[UInt8]: [UInt8]] {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        var entries: [[UInt8]: [UInt8]] = [:]
        try snapshot.scan(KeyRange(lower: [], upper: nil), reversed: false, expecting: 100) {
            entries[Array($0)] = Array($1)
            return true
        }
        return entries
    }

    @Test("keeps what is there, also what waits in the journal, and gives the rest back")
    func compaction() throws {
        var engine = try open()
        var model: [[UInt8]: [UInt8]] = [:]
        for round in 0..<20 {
            var batch = OwnedBatch()
            for index in 0..<200 {
                let key = [UInt8(round), UInt8(index)]
                batch.changes[key] = [UInt8](repeating: UInt8(index), count: 3000)
                model[key] = batch.changes[key] ?? nil
            }
            try batch.commit(to: engine)
        }
        try OwnedBatch(removing: KeyRange(prefix: [1])).commit(to: engine)
        for round in 3..<20 {
            try OwnedBatch(removing: (0..<200).map { [UInt8(round), UInt8($0)] }).commit(to: engine)
        }
        model = model.filter { $0.key[0] == 0 || $0.key[0] == 2 }
        try OwnedBatch([[7]: [7]]).commit(to: engine)
        model[[7]] = [7]
        try engine.checkpoint()
        let before = try #require(engine.storedByteCount)
        try OwnedBatch([[8]: [8]]).commit(to: engine)
        model[[8]] = [8]
        try engine.compact()
        #expect(throws: StorageError.self) { try OwnedBatch([[9]: [9]]).commit(to: engine) }
        engine.close()

        engine = try open()
        #expect(try contents(engine) == model)
        #expect(try #require(engine.storedByteCount) < before / 4)
        // It goes on as any other store does.
        try OwnedBatch([[9]: [9]]).commit(to: engine)
        model[[9]] = [9]
        engine.close()
        engine = try open()
        #expect(try contents(engine) == model)
        engine.close()
    }

    @Test("of an empty store leaves an empty store")
    func empty() throws {
        var engine = try open()
        try engine.compact()
        engine.close()
        engine = try open()
        #expect(try contents(engine) == [:])
        try OwnedBatch([[9]: [9]]).commit(to: engine)
        engine.close()
    }

    @Test("that can't be written leaves the store as it was, and it goes on")
    func refused() throws {
        let disk = TemporaryDirectory()
        guard mount("tmpfs", disk.path, "tmpfs", 0, "size=4194304") == 0 else { return }
        defer { umount(disk.path) }
        let options = LMDBOptions(
            directory: disk.path + "/store", mapByteCount: LMDBOptions.embeddedMapByteCount)
        var engine = try LMDBEngine(options)
        for index in 0..<10 {
            try OwnedBatch([[UInt8(index)]: [UInt8](repeating: 1, count: 100_000)]).commit(
                to: engine)
        }
        try engine.checkpoint()
        let before = try contents(engine)
        TemporaryDirectory.write([UInt8](repeating: 0, count: 2 << 20), to: disk.path + "/ballast")
        #expect(throws: StorageError.self) { try engine.compact() }
        unlink(disk.path + "/ballast")
        try OwnedBatch([[99]: [99]]).commit(to: engine)
        engine.close()
        engine = try LMDBEngine(options)
        var expected = before
        expected[[99]] = [99]
        #expect(try contents(engine) == expected)
        engine.close()
    }
}
