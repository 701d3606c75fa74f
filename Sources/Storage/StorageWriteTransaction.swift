/// The engine's open write transaction: reads see what was applied to it.
///
/// Ends by ``commitAll()`` or ``close()``, which rolls back. The thread that began it changes and ends it; another may read while
/// that one waits.
package protocol StorageWriteTransaction: StorageSnapshot {
    /// Applies a batch inside the transaction. May be called again and again.
    ///
    /// - Throws: ``StorageError``; after any error the transaction can only be closed.
    func apply(_ batch: StorageBatch) throws(StorageError)

    /// Makes everything applied durable and visible, as one commit.
    ///
    /// - Returns: The number of the new commit.
    func commitAll() throws(StorageError) -> UInt64
}
