import HoldfastStorage

/// An engine whose data directory goes when the engine does; otherwise it is the engine it wraps.
final class TemporaryEngine: StorageEngine {
    private let engine: any StorageEngine
    private let directory: TemporaryDirectory

    init(_ engine: any StorageEngine, in directory: TemporaryDirectory) {
        self.engine = engine
        self.directory = directory
    }

    deinit { engine.close() }

    var name: String { engine.name }
    var limits: StorageLimits { engine.limits }
    var storedByteCount: Int? { engine.storedByteCount }

    func snapshot() throws(StorageError) -> any StorageSnapshot { try engine.snapshot() }

    func awaitRoom() { engine.awaitRoom() }

    func commit(_ batch: StorageBatch, base: UInt64) throws(StorageError) -> UInt64 {
        try engine.commit(batch, base: base)
    }

    func beginWrite(base: UInt64) throws(StorageError) -> any StorageWriteTransaction {
        try engine.beginWrite(base: base)
    }

    func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {
        engine.observeFailures(handler)
    }

    func close() { engine.close() }
}
