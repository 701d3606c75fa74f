/// A transactional, ordered map from byte-string keys to byte-string values.
///
/// Every engine keeps these promises, and `StorageContract` tests them:
/// - Order: keys compare as unsigned bytes; a prefix sorts before its extensions.
/// - Isolation: a snapshot sees exactly the last commit made before it was taken, for as long as it is open.
/// - Atomicity: a batch is applied completely or not at all, now and after a crash.
/// - Conflict: a batch is refused if anything was committed after the state it was made from.
/// - Durability: a commit that returned is on disk (unless the engine was opened as relaxed).
///
/// The interface serves an engine with a network round trip for each call as well as one in this process: scans run inside the
/// engine, and a commit is one call. Calls block their thread: make them from a worker, never from a Swift `Task`.
package protocol StorageEngine: AnyObject, Sendable {
    /// The engine's name in `GET /v1` and in logs, such as `"lmdb"`.
    var name: String { get }

    /// The limits of the engine, such as the longest key and value.
    var limits: StorageLimits { get }

    /// Takes a snapshot of the last commit.
    ///
    /// Cost: microseconds in process; a round trip in a cluster.
    /// - Throws: ``StorageError`` `.readersFull` if every reader slot is taken.
    func snapshot() throws(StorageError) -> any StorageSnapshot

    /// Waits until the engine has room for another commit.
    ///
    /// Call it before you take the snapshot of a transaction: an open snapshot keeps the engine from using freed pages again, so
    /// waiting in ``commit(_:base:)`` makes the file grow. It is only a hint: it never fails, and commits are correct without it.
    /// - Precondition: This thread has no write transaction open.
    func awaitRoom()

    /// Applies `batch` atomically if the last commit is still `base`.
    ///
    /// It is one call, one round trip, one sync. The caller holds no lock between its reads and this call: on a conflict it runs
    /// its transaction again on a new snapshot.
    /// - Parameters:
    ///   - batch: Sorted changes; its pointers have to stay valid until the call returns.
    ///   - base: The ``StorageSnapshot/commit`` of the snapshot that the batch was made from.
    /// - Returns: The number of the new commit, once it is on disk.
    /// - Throws: ``StorageError`` `.conflict` if another commit came first; `.diskFull`, `.io` and others if nothing was applied.
    func commit(_ batch: StorageBatch, base: UInt64) throws(StorageError) -> UInt64

    /// Opens the only write transaction, for changes that are too large for one batch.
    ///
    /// Waits for another write transaction to end.
    /// - Throws: ``StorageError`` `.conflict` if the last commit is not `base`.
    func beginWrite(base: UInt64) throws(StorageError) -> any StorageWriteTransaction

    /// Calls `handler` when the engine's own work after acknowledged commits fails; the engine keeps these commits. With `.io` it
    /// takes no more commits until it is reopened.
    ///
    /// The handler runs on a thread of the engine and must return quickly. A lasting failure is reported once.
    func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void)

    /// Whether acknowledged commits may be missing since the engine was opened. Then version numbers that clients have seen are
    /// used again for other contents, unless the store takes a new epoch.
    var mayLackCommits: Bool { get }

    /// Notes that a new epoch was committed since.
    func noteNewEpoch()

    /// The number of bytes of the data on its medium, for metrics; nil if the engine does not know it.
    var storedByteCount: Int? { get }

    /// Closes the engine. Snapshots have to be closed before; later calls throw `.closed`.
    func close()
}

/// Engines that never lose acknowledged commits.
extension StorageEngine {
    package var mayLackCommits: Bool { false }
    package func noteNewEpoch() {}
}

/// The engine's open write transaction: its reads see the changes that were applied to it.
///
/// It ends by ``commitAll()`` or ``close()``, which rolls back. The thread that began it changes and ends it; another thread may
/// read while that thread waits.
package protocol StorageWriteTransaction: StorageSnapshot {
    /// Applies a batch inside the transaction. May be called several times.
    ///
    /// - Throws: ``StorageError``; after any error the transaction can only be closed.
    func apply(_ batch: StorageBatch) throws(StorageError)

    /// Makes all applied changes durable and visible, as one commit.
    ///
    /// - Returns: The number of the new commit.
    func commitAll() throws(StorageError) -> UInt64
}

/// The limits of an engine.
package struct StorageLimits: Equatable, Sendable {
    /// The longest key in bytes; keys have at least one byte.
    package var keyByteCountMax: Int
    /// The longest value in bytes.
    package var valueByteCountMax: Int
    /// The most snapshots that can be open at once.
    package var snapshotCountMax: Int

    /// Creates a set of limits.
    package init(keyByteCountMax: Int, valueByteCountMax: Int, snapshotCountMax: Int) {
        self.keyByteCountMax = keyByteCountMax
        self.valueByteCountMax = valueByteCountMax
        self.snapshotCountMax = snapshotCountMax
    }

    /// Refuses a batch with a key or value that is out of bounds.
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
