/// The limits of an engine.
package struct StorageLimits: Equatable, Sendable {
    /// The longest key in bytes; keys have at least one byte.
    package var keyByteCountMax: Int
    /// The longest value in bytes.
    package var valueByteCountMax: Int
    /// How many snapshots can be open at once.
    package var snapshotCountMax: Int

    /// Makes a set of limits.
    package init(keyByteCountMax: Int, valueByteCountMax: Int, snapshotCountMax: Int) {
        self.keyByteCountMax = keyByteCountMax
        self.valueByteCountMax = valueByteCountMax
        self.snapshotCountMax = snapshotCountMax
    }

    /// Refuses a batch of which a key or value is out of bounds.
    ///
    /// - Throws: ``StorageError`` `.badKey` or `.valueTooLong`.
    package func check(_ batch: StorageBatch) throws(StorageError) {
        for change in batch.changes {
            try check(key: change.key, operation: "commit")
            if let value = change.value, value.count > valueByteCountMax {
                throw StorageError(.valueTooLong, operation: "commit")
            }
        }
    }

    /// Refuses a key that is out of bounds.
    ///
    /// - Throws: ``StorageError`` `.badKey`.
    package func check(key: UnsafeRawBufferPointer, operation: String) throws(StorageError) {
        guard key.count > 0, key.count <= keyByteCountMax else {
            throw StorageError(.badKey, operation: operation)
        }
    }
}
