import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Snapshots of every engine")
struct EngineSnapshotTests {
    @Test("a snapshot sees what was there when it was taken", arguments: EngineCase.all)
    func isolation(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        var snapshots: [(any StorageSnapshot, ModelStore)] = []
        var model = ModelStore()
        for step in UInt8(0)..<20 {
            var batch = OwnedBatch([[step]: [step], [0xFF]: [step]])
            if step % 3 == 0 { batch.removedRanges = [KeyRange(lower: [step / 2], upper: [step])] }
            try batch.commit(to: engine)
            model.apply(batch)
            snapshots.append((try engine.snapshot(), model))
        }
        for (snapshot, model) in snapshots {
            #expect(try snapshot.contents() == model.entries)
            snapshot.close()
        }
    }

    @Test("what a get returns stays until the snapshot is closed", arguments: EngineCase.all)
    func pointers(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let keys = (0..<50).map { [UInt8($0)] }
        for key in keys { try OwnedBatch([key: key + [1, 2, 3]]).commit(to: engine) }
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        var found: [UnsafeRawBufferPointer] = []
        for key in keys {
            let value = try withBytes(key) { (key) throws(StorageError) in
                try snapshot.value(forKey: key)
            }
            found.append(try #require(value))
        }
        for step in UInt8(0)..<30 {
            for key in keys { try OwnedBatch([key: [step, step]]).commit(to: engine) }
        }
        for (key, value) in zip(keys, found) { #expect(Array(value) == key + [1, 2, 3]) }
    }

    @Test(
        "what a scan hands over stays until the snapshot is closed, whatever is written and moved",
        arguments: EngineCase.all)
    func scannedPointers(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let size = 60_000
        for key in UInt8(0)..<50 {
            try OwnedBatch([[key]: [UInt8](repeating: key, count: size)]).commit(to: engine)
        }
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        var found: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
        for isReversed in [false, true] {
            try snapshot.scan(KeyRange(prefix: []), reversed: isReversed, expecting: 50) {
                found.append(($0, $1))
                return true
            }
        }
        #expect(found.count == 100)
        // More than a checkpoint takes.
        for step in UInt8(100)..<110 {
            for key in UInt8(0)..<50 {
                try OwnedBatch([[key]: [UInt8](repeating: step, count: size)]).commit(to: engine)
            }
        }
        for (key, value) in found {
            #expect(key.count == 1 && value.count == size)
            #expect(value.first == key.first && value.last == key.first)
        }
    }

    @Test("a closed snapshot says so, and may be closed again", arguments: EngineCase.all)
    func closed(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let snapshot = try engine.snapshot()
        snapshot.close()
        snapshot.close()
        // Its reader now belongs to another snapshot, which must not notice.
        let other = try engine.snapshot()
        snapshot.close()
        #expect(throws: StorageError(.closed, operation: "get")) {
            try snapshot.bytes(forKey: [1])
        }
        #expect(throws: StorageError(.closed, operation: "get")) {
            try snapshot.bytes(forKeys: [[1]])
        }
        #expect(throws: StorageError(.closed, operation: "scan")) { try snapshot.entries() }
        #expect(try other.entries().isEmpty)
        other.close()
    }

    @Test("one snapshot too many is refused until another is closed", arguments: EngineCase.all)
    func readersFull(engineCase: EngineCase) throws {
        let engine = try engineCase.open(snapshotCountMax: 12)
        var open = try (0..<12).map { _ in try engine.snapshot() }
        #expect(engine.limits.snapshotCountMax == 12)
        do {
            _ = try engine.snapshot()
            Issue.record("the thirteenth snapshot was given")
        } catch {
            #expect(error.code == .readersFull)
        }
        open.removeLast().close()
        open.append(try engine.snapshot())
        for snapshot in open { snapshot.close() }
    }

    @Test("a snapshot that is let go gives up its reader", arguments: EngineCase.all)
    func letGo(engineCase: EngineCase) throws {
        let engine = try engineCase.open(snapshotCountMax: 4)
        for _ in 0..<20 { _ = try engine.snapshot() }
    }

    @Test("a closed engine refuses everything", arguments: EngineCase.all)
    func closedEngine(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        try OwnedBatch([[1]: [1]]).commit(to: engine)
        engine.close()
        engine.close()
        #expect(throws: StorageError(.closed, operation: "snapshot")) { try engine.snapshot() }
        #expect(throws: StorageError(.closed, operation: "commit")) {
            try OwnedBatch([[1]: [1]]).commit(to: engine, base: 1)
        }
        #expect(throws: StorageError(.closed, operation: "begin write")) {
            try engine.beginWrite(base: 1)
        }
        #expect(engine.storedByteCount == nil)
    }

    @Test(
        "a snapshot that was open when its engine was closed can be read on",
        arguments: EngineCase.all)
    func outlivesEngine(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        try OwnedBatch([[1]: [1]]).commit(to: engine)
        let snapshot = try engine.snapshot()
        engine.close()
        #expect(try snapshot.contents() == [[1]: [1]])
        snapshot.close()
    }
}
