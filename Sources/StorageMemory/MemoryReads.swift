import HoldfastStorage

/// The reads that snapshots and write transactions of a ``MemoryEngine`` have in common.
protocol MemoryReads: StorageSnapshot {
    var engine: MemoryEngine { get }
    var entriesRead: Int { get set }

    /// Returns the state to read.
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
