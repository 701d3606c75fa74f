import HoldfastStorage

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
