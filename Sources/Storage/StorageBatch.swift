/// The changes of one commit, made ready for an engine.
///
/// Ranges are removed first, then the changes are applied. The changes are sorted by key, each key at
/// most once, so that an engine writes neighbouring pages one after the other.
package struct StorageBatch {
    /// One key's new value, or its removal.
    package struct Change {
        /// The key.
        package var key: UnsafeRawBufferPointer
        /// The new value; nil removes the key, which need not exist.
        package var value: UnsafeRawBufferPointer?

        /// Makes a change; the pointers belong to the caller.
        package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
            self.key = key
            self.value = value
        }
    }

    /// Ranges whose entries all go, applied before ``changes``.
    package var removedRanges: [KeyRange]
    /// Sorted, unique by key.
    package var changes: [Change]

    /// Makes a batch.
    package init(removedRanges: [KeyRange] = [], changes: [Change] = []) {
        self.removedRanges = removedRanges
        self.changes = changes
    }

    /// Whether committing it would change nothing.
    package var isEmpty: Bool { removedRanges.isEmpty && changes.isEmpty }
}
