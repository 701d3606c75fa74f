import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

/// A small file system in memory, unmounted with the last reference.
private final class SmallDisk {
    let directory = TemporaryDirectory()

    /// Mounts `byteCount` bytes; nil where the process may not mount.
    init?(byteCount: Int) {
        guard mount("tmpfs", directory.path, "tmpfs", 0, "size=\(byteCount)") == 0 else {
            return nil
        }
    }

    deinit { umount(directory.path) }
}

@Suite("LMDB on a small disk", .enabled(if: SmallDisk(byteCount: 1 << 20) != nil, "needs mount"))
struct LMDBFullDiskTests {
    @Test(
        "a full disk refuses commits and changes nothing; with room they work again",
        arguments: [100, 3000, 200_000])
    func fullDisk(valueByteCount: Int) throws {
        let disk = try #require(SmallDisk(byteCount: 6 << 20))
        let ballast = "\(disk.directory.path)/ballast"
        TemporaryDirectory.write([UInt8](repeating: 0, count: 3 << 20), to: ballast)
        let options = LMDBOptions(
            directory: "\(disk.directory.path)/store",
            mapByteCount: LMDBOptions.embeddedMapByteCount, checkpointMilliseconds: 3_600_000)
        var engine = try LMDBEngine(options)
        var model = ModelStore()
        var refusals = 0
        var number = 0
        while refusals < 5 {
            number += 1
            var batch = OwnedBatch()
            for index in 0..<max(1, 40_000 / valueByteCount) {
                let key = [number / 256, number % 256, index % 256, index / 256].map { UInt8($0) }
                batch.changes[key] = [UInt8](repeating: UInt8(number % 256), count: valueByteCount)
            }
            do throws(StorageError) {
                try batch.commit(to: engine)
                model.apply(batch)
            } catch {
                #expect(error.code == .diskFull, "\(error)")
                refusals += 1
            }
            guard number < 2000 else {
                Issue.record("the disk never became full")
                break
            }
        }
        try compare(engine, model)

        unlink(ballast)
        for _ in 0..<5 {
            let batch = OwnedBatch([[0xFF]: [UInt8](repeating: 1, count: valueByteCount)])
            try batch.commit(to: engine)
            model.apply(batch)
        }
        try compare(engine, model)
        engine.close()
        engine = try LMDBEngine(options)
        try compare(engine, model)
        engine.close()
    }

    private func compare(_ engine: LMDBEngine, _ model: ModelStore) throws {
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.contents() == model.entries)
    }
}
