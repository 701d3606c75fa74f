import HoldfastStorage
import Synchronization
import HoldfastThreads

/// The storage port in memory: the reference that other engines are compared with.
///
/// Simple before fast: entries in sorted chunks, copied on write. It has the limits and the thread
/// rules of LMDB, so that a test which passes here isn't stopped by them there. Nothing survives
/// ``close()``.
package final class MemoryEngine: StorageEngine {
    private struct Shared {
        var state = MemoryState()
        var snapshotCount = 0
        var isClosed = false
    }

    package let name = "memory"
    package let limits: StorageLimits

    private let shared = Mutex(Shared())
    /// Held during a commit and by an open write transaction.
    let writerLock = OwnedLock()

    /// Makes an empty store.
    package init(
        limits: StorageLimits = StorageLimits(
            keyByteCountMax: 511, valueByteCountMax: 64 << 20, snapshotCountMax: 4096)
    ) {
        self.limits = limits
    }

    package func snapshot() throws(StorageError) -> any StorageSnapshot {
        let state = try shared.withLock { (shared) throws(StorageError) -> MemoryState in
            guard !shared.isClosed else { throw StorageError(.closed, operation: "snapshot") }
            guard shared.snapshotCount < limits.snapshotCountMax else {
                throw StorageError(.readersFull, operation: "snapshot")
            }
            shared.snapshotCount += 1
            return shared.state
        }
        return MemorySnapshot(engine: self, state: state)
    }

    package func awaitRoom() {}

    package func commit(_ batch: StorageBatch, base: UInt64) throws(StorageError) -> UInt64 {
        try limits.check(batch)
        let state = try beginState(base: base, operation: "commit")
        defer { writerLock.unlock() }
        guard let changed = state.applying(batch) else { return base }
        return try publish(changed)
    }

    package func beginWrite(
        base: UInt64
    ) throws(StorageError) -> any StorageWriteTransaction {
        MemoryWriteTransaction(
            engine: self, state: try beginState(base: base, operation: "begin write"))
    }

    package func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {}

    package var storedByteCount: Int? {
        shared.withLock { $0.isClosed ? nil : $0.state.byteCount }
    }

    package func close() {
        shared.withLock {
            $0.isClosed = true
            $0.state = MemoryState(commit: $0.state.commit)
        }
    }

    func snapshotDidClose() {
        shared.withLock { $0.snapshotCount -= 1 }
    }

    /// Makes `state` the last commit; the caller holds the writer lock, and keeps it.
    func publish(_ state: MemoryState) throws(StorageError) -> UInt64 {
        let published = MemoryState(
            chunks: state.chunks, commit: state.commit + 1, byteCount: state.byteCount)
        try shared.withLock { (shared) throws(StorageError) in
            guard !shared.isClosed else { throw StorageError(.closed, operation: "commit") }
            shared.state = published
        }
        return published.commit
    }

    /// Takes the writer lock and checks that nothing was committed since `base`.
    private func beginState(base: UInt64, operation: String) throws(StorageError) -> MemoryState {
        writerLock.lock()
        do throws(StorageError) {
            return try shared.withLock { (shared) throws(StorageError) -> MemoryState in
                guard !shared.isClosed else { throw StorageError(.closed, operation: operation) }
                guard shared.state.commit == base else {
                    throw StorageError(.conflict, operation: operation)
                }
                return shared.state
            }
        } catch {
            writerLock.unlock()
            throw error
        }
    }
}
