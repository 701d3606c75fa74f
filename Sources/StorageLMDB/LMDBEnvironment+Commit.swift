import CHoldfastLMDB
import HoldfastStorage

extension LMDBEnvironment {
    /// The longest batch that is written to the journal. A longer one goes to the tree at once: it would take too much memory
    /// until a checkpoint, and for a load of new objects, writing it twice would cost more than the pages that it saves.
    private static let journaledByteCountMax = 32 << 20
    /// With less room than this on the medium, commits go to the tree at once, so that a commit that does not fit is refused and
    /// not acknowledged.
    private static let freeByteCountMin = 64 << 20

    /// Applies a checked batch if the last commit is `base`.
    ///
    /// - Returns: The number of the new commit, or `base` if nothing is changed.
    func commit(_ batch: StorageBatch, base: UInt64) throws(StorageError) -> UInt64 {
        try beginUse("commit")
        defer { endUse() }
        if let number = try commitToJournal(batch, base: base) { return number }
        let transaction = try beginWrite(base: base, operation: "commit")
        let (code, didChange) = transaction.apply(batch)
        guard code == MDB_SUCCESS else {
            rollBack(transaction)
            throw failure(code, operation: "commit")
        }
        guard didChange else {
            rollBack(transaction)
            return base
        }
        return try commit(transaction, base: base)
    }

    /// Writes a batch to the journal if it is suitable.
    ///
    /// - Returns: The number of the commit; nil if the batch has to go to the tree, and then nothing has been done.
    private func commitToJournal(
        _ batch: StorageBatch, base: UInt64
    ) throws(StorageError) -> UInt64? {
        writeLock.lock()
        defer { writeLock.unlock() }
        try requireWritable("commit")
        try requireLast(base, "commit")
        guard batch.removedRanges.isEmpty else { return nil }
        guard try changesSomething(batch) else { return base }
        let byteCount = JournalRecord.byteCount(of: batch)
        lastRecordByteCount = byteCount
        guard hasRoom(for: byteCount) else { return nil }
        try journaling("commit") { () throws(SystemError) in
            try journal.append(batch, byteCount: byteCount, commit: base + 1)
        }
        let recent = journal.recent
        publish {
            $0.commit = base + 1
            $0.recent = recent
        }
        checkpointer.expectCheckpoint(of: self, now: journal.activeByteCount >= checkpointByteCount)
        return base + 1
    }

    /// Throws unless the last commit is `base`. Needs the write lock.
    func requireLast(_ base: UInt64, _ operation: String) throws(StorageError) {
        guard pool.withLock({ $0.published.commit }) == base else {
            throw StorageError(.conflict, operation: operation)
        }
    }

    /// Whether a batch without ranges puts a value, or removes an existing key.
    private func changesSomething(_ batch: StorageBatch) throws(StorageError) -> Bool {
        if batch.changes.contains(where: { $0.value != nil }) { return true }
        if batch.changes.isEmpty { return false }
        let snapshot = try LMDBSnapshot(of: self)
        defer { snapshot.close() }
        for change in batch.changes where try snapshot.value(forKey: change.key) != nil {
            return true
        }
        return false
    }

    /// Whether a record of `byteCount` bytes can wait in the journal and will then fit into the tree.
    ///
    /// The tree needs up to several pages for each changed one until older states are released. Four times the waiting bytes has
    /// been enough for every mix of keys. If it is not, a checkpoint fails, nothing is lost, and later commits are refused by
    /// this check.
    private func hasRoom(for byteCount: Int) -> Bool {
        let waiting = journal.pendingByteCount + byteCount
        guard byteCount <= Self.journaledByteCountMax, fileTakes(byteCount) else { return false }
        var information = MDB_envinfo()
        guard mdb_env_info(handle, &information) == MDB_SUCCESS else { return false }
        let used = (information.me_last_pgno + 1) * pageByteCount
        return used + 4 * waiting <= mapByteCount
            && freeByteCount >= Self.freeByteCountMin + 4 * waiting
    }

    /// Whether the journal's present file has room for a record of `byteCount` bytes.
    private func fileTakes(_ byteCount: Int) -> Bool {
        journal.activeByteCount + min(byteCount, checkpointByteCount) <= 2 * checkpointByteCount
    }

    /// Waits until the journal has an empty file for the next commits, if the present file may have no room for another commit
    /// like the last, or for half of the bytes that begin a checkpoint.
    ///
    /// A commit that finds no room goes to the tree itself, after all waiting changes. Its transaction's snapshot would stay open
    /// during that time, and LMDB reuses no page that was freed since: on a medium slower than the commits the file grew by a
    /// third in that way.
    func awaitRoom() {
        guard (try? beginUse("await room")) != nil else { return }
        defer { endUse() }
        writeLock.lock()
        let isFull = !fileTakes(max(lastRecordByteCount, checkpointByteCount / 2))
        let count = checkpointer.freezeCount
        writeLock.unlock()
        guard isFull else { return }
        checkpointer.expectCheckpoint(of: self, now: true)
        checkpointer.awaitFreeze(after: count)
    }

    // MARK: The tree

    /// Begins the only write transaction of the tree, on this thread, after all changes of the journal. Waits for another
    /// thread's commit or transaction to end.
    ///
    /// It holds the write lock until it ends. LMDB's own lock belongs to its thread too, with or without `MDB_NOTLS`, so the
    /// transaction has to end on the thread that began it.
    func beginWrite(base: UInt64, operation: String) throws(StorageError) -> LMDBTransaction {
        try beginUse(operation)
        do throws(StorageError) {
            return try beginTree(base: base, operation: operation)
        } catch {
            endUse()
            throw error
        }
    }

    private func beginTree(
        base: UInt64, operation: String
    ) throws(StorageError) -> LMDBTransaction {
        // Taken before the write lock, because a thread with an open transaction must not wait for it.
        writeLock.requireNotOwner()
        checkpointLock.lock()
        writeLock.lock()
        do throws(StorageError) {
            try requireWritable(operation)
            try requireLast(base, operation)
            while journal.pendingByteCount > 0 {
                let runs = try freeze(operation)
                try writeToTree(runs, operation: operation)
                try endCheckpoint(operation)
            }
        } catch {
            checkpointLock.unlock()
            writeLock.unlock()
            throw error
        }
        checkpointLock.unlock()
        do throws(StorageError) {
            return try beginTreeTransaction(operation)
        } catch {
            writeLock.unlock()
            throw error
        }
    }

    /// Begins a write transaction of the tree. Needs the write lock or the checkpoint lock.
    func beginTreeTransaction(_ operation: String) throws(StorageError) -> LMDBTransaction {
        var begun: OpaquePointer?
        let code = mdb_txn_begin(handle, nil, 0, &begun)
        guard code == MDB_SUCCESS, let begun else { throw failure(code, operation: operation) }
        let transaction = LMDBTransaction(
            handle: begun, database: database, limits: limits, isReadOnly: false)
        lastBegun.store(transaction.number, ordering: .sequentiallyConsistent)
        return transaction
    }

    /// Ends a write transaction and discards its changes.
    func rollBack(_ transaction: LMDBTransaction) {
        writeLock.requireOwner()
        transaction.closeCursors()
        mdb_txn_abort(transaction.handle)
        writeLock.unlock()
        endUse()
    }

    /// Ends a write transaction. Returns the new commit's number when the commit is as durable as the options require.
    func commit(_ transaction: LMDBTransaction, base: UInt64) throws(StorageError) -> UInt64 {
        writeLock.requireOwner()
        defer {
            writeLock.unlock()
            endUse()
        }
        transaction.closeCursors()
        let code = mdb_txn_commit(transaction.handle)
        guard code == MDB_SUCCESS else { throw failure(code, operation: "commit") }
        let tree = pool.withLock { pool in
            pool.published.tree += 1
            pool.published.treeEnd = pool.published.tree
            pool.published.commit = base + 1
            return pool.published.tree
        }
        journal.follow(tree: tree)
        return base + 1
    }
}
