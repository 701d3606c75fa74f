import HoldfastStorage

/// A batch that owns its bytes, for tests and probes; an engine's own batch only points to them.
package struct OwnedBatch: Sendable {
    /// Ranges to remove first.
    package var removedRanges: [KeyRange] = []
    /// New values by key; nil removes.
    package var changes: [[UInt8]: [UInt8]?] = [:]

    /// Makes an empty batch.
    package init() {}

    /// Makes a batch that sets `entries`.
    package init(_ entries: [[UInt8]: [UInt8]]) {
        changes = entries.mapValues { .some($0) }
    }

    /// Makes a batch that removes `keys`.
    package init(removing keys: [[UInt8]]) {
        for key in keys { changes[key] = .some(nil) }
    }

    /// Makes a batch that removes a range.
    package init(removing range: KeyRange) {
        removedRanges = [range]
    }

    /// Commits the batch to `engine`.
    @discardableResult
    package func commit(
        to engine: any StorageEngine, base: UInt64
    ) throws(StorageError) -> UInt64 {
        try withBatch { (batch) throws(StorageError) in try engine.commit(batch, base: base) }
    }

    /// Commits the batch on top of whatever was committed last, and again after a conflict.
    @discardableResult
    package func commit(to engine: any StorageEngine) throws(StorageError) -> UInt64 {
        while true {
            let snapshot = try engine.snapshot()
            let base = snapshot.commit
            snapshot.close()
            do throws(StorageError) {
                return try commit(to: engine, base: base)
            } catch {
                guard error.code == .conflict else { throw error }
            }
        }
    }

    /// Applies the batch inside a write transaction.
    package func apply(to transaction: any StorageWriteTransaction) throws(StorageError) {
        try withBatch { (batch) throws(StorageError) in try transaction.apply(batch) }
    }

    /// Calls `body` with the batch as an engine takes it: sorted, and pointing at bytes that stay
    /// where they are during the call.
    package func withBatch<Result>(
        _ body: (StorageBatch) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let sorted = changes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var byteCount = 0
        for (key, value) in sorted { byteCount += key.count + (value?.count ?? 0) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
        defer { bytes.deallocate() }
        var end = 0
        func place(_ part: [UInt8]) -> UnsafeRawBufferPointer {
            let range = end..<end + part.count
            bytes[range].copyBytes(from: part)
            end += part.count
            return UnsafeRawBufferPointer(rebasing: bytes[range])
        }
        let placed = sorted.map { key, value in
            StorageBatch.Change(key: place(key), value: value.map { place($0) })
        }
        return try body(StorageBatch(removedRanges: removedRanges, changes: placed))
    }
}
