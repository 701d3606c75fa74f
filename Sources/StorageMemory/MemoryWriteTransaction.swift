import HoldfastStorage

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
