import Glibc
import HoldfastStorage
import Synchronization

/// An engine that stays open when a store on it closes, so that the store can be opened again on any
/// kind of engine. Its commits can be made slow.
package final class LastingEngine: StorageEngine {
    private let engine: any StorageEngine
    private let delay = Atomic<UInt32>(0)

    /// Wraps `engine`.
    package init(_ engine: any StorageEngine) { self.engine = engine }

    package var name: String { engine.name }
    package var limits: StorageLimits { engine.limits }
    package var storedByteCount: Int? { engine.storedByteCount }

    package func snapshot() throws(StorageError) -> any StorageSnapshot { try engine.snapshot() }

    /// Lets each commit take so many microseconds more, so that others come between two of them.
    package func slowDown(microseconds: UInt32) { delay.store(microseconds, ordering: .relaxed) }

    package func awaitRoom() { engine.awaitRoom() }

    package func commit(_ batch: StorageBatch, base: UInt64) throws(StorageError) -> UInt64 {
        let microseconds = delay.load(ordering: .relaxed)
        if microseconds > 0 { usleep(microseconds) }
        return try engine.commit(batch, base: base)
    }

    package func beginWrite(
        base: UInt64
    ) throws(StorageError) -> any StorageWriteTransaction {
        try engine.beginWrite(base: base)
    }

    package func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {
        engine.observeFailures(handler)
    }

    /// Does nothing.
    package func close() {}
}
