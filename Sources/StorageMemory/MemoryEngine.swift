import HoldfastStorage
import HoldfastThreads
import Synchronization

/// The storage engine in memory: the reference with which other engines are compared.
///
/// It is simple rather than fast: entries in sorted chunks, copied on write. It has the limits and the thread rules of LMDB, so
/// that code that passes a test here meets no new limit there. Nothing survives ``close()``.
package final class MemoryEngine: StorageEngine {
    private struct Shared {
        var state = MemoryState()
        var snapshotCount = 0
        var isClosed = false
    }

    package let name = "memory"
    package let limits: StorageLimits

    private let shared = Mutex(Shared())
    /// Locked during a commit and by an open write transaction.
    let writerLock = OwnedLock()

    /// Creates an empty store.
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

    package func beginWrite(base: UInt64) throws(StorageError) -> any StorageWriteTransaction {
        MemoryWriteTransaction(
            engine: self, state: try beginState(base: base, operation: "begin write"))
    }

    package func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {}

    package var storedByteCount: Int? { shared.withLock { $0.isClosed ? nil : $0.state.byteCount } }

    package func close() {
        shared.withLock {
            $0.isClosed = true
            $0.state = MemoryState(commit: $0.state.commit)
        }
    }

    func snapshotDidClose() { shared.withLock { $0.snapshotCount -= 1 } }

    /// Makes `state` the last commit. The caller has the writer lock, and keeps it.
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

/// A snapshot of a ``MemoryEngine``: a reference to one state.
final class MemorySnapshot: MemoryReads {
    let engine: MemoryEngine
    let commit: UInt64
    var entriesRead = 0

    private var state: MemoryState?

    init(engine: MemoryEngine, state: MemoryState) {
        self.engine = engine
        self.state = state
        commit = state.commit
    }

    deinit { close() }

    func openState(_ operation: String) throws(StorageError) -> MemoryState {
        guard let state else { throw StorageError(.closed, operation: operation) }
        return state
    }

    func close() {
        guard state != nil else { return }
        state = nil
        engine.snapshotDidClose()
    }
}

/// The open write transaction of a ``MemoryEngine``.
final class MemoryWriteTransaction: MemoryReads, StorageWriteTransaction {
    let engine: MemoryEngine
    let commit: UInt64
    var entriesRead = 0

    private let first: MemoryState
    private var state: MemoryState?
    private var didFail = false

    init(engine: MemoryEngine, state: MemoryState) {
        self.engine = engine
        self.state = state
        first = state
        commit = state.commit
    }

    deinit { close() }

    func openState(_ operation: String) throws(StorageError) -> MemoryState {
        guard let state, !didFail else { throw StorageError(.closed, operation: operation) }
        return state
    }

    func apply(_ batch: StorageBatch) throws(StorageError) {
        let state = try openState("apply")
        engine.writerLock.requireOwner()
        do throws(StorageError) {
            try engine.limits.check(batch)
        } catch {
            didFail = true
            throw error
        }
        self.state = state.applying(batch) ?? state
    }

    func commitAll() throws(StorageError) -> UInt64 {
        let state = try openState("commit")
        defer { close() }
        return state === first ? commit : try engine.publish(state)
    }

    func close() {
        guard state != nil else { return }
        state = nil
        engine.writerLock.unlock()
    }
}

/// The reads that snapshots and write transactions of a ``MemoryEngine`` have in common.
protocol MemoryReads: StorageSnapshot {
    var engine: MemoryEngine { get }
    var entriesRead: Int { get set }

    func openState(_ operation: String) throws(StorageError) -> MemoryState
}

extension MemoryReads {
    package func value(
        forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        let state = try openState("get")
        try engine.limits.check(key: key, operation: "get")
        let value = state.value(forKey: key)
        if value != nil { entriesRead += 1 }
        return value
    }

    package func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        entriesRead += try openState("scan").scan(range, reversed: reversed, body)
    }
}
