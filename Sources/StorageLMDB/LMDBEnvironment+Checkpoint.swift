import CLMDB
import Storage

extension LMDBEnvironment {
    /// Writes what the journal has to the tree. Commits and snapshots go on meanwhile.
    ///
    /// - Returns: Whether commits wait that came too late for this checkpoint.
    /// - Throws: ``StorageError``; then everything stays where it was, and a later checkpoint begins
    ///   with the same changes.
    @discardableResult
    func checkpoint() throws(StorageError) -> Bool {
        // It would wait for the thread that waits for it.
        writeLock.requireNotOwner()
        checkpointLock.lock()
        defer { checkpointLock.unlock() }
        let runs = try beginCheckpoint()
        guard !runs.isEmpty else { return false }
        try writeToTree(runs, operation: "checkpoint")
        writeLock.lock()
        defer { writeLock.unlock() }
        endCheckpoint()
        return journal.pendingByteCount > 0
    }

    private func beginCheckpoint() throws(StorageError) -> [ChangeRun] {
        writeLock.lock()
        defer { writeLock.unlock() }
        try requireWritable("checkpoint")
        let runs = try freeze("checkpoint")
        let recent = journal.recent
        publish {
            $0.recent = recent
            $0.hasCheckpoint = !runs.isEmpty
        }
        return runs
    }

    /// Freezes what the journal has. Needs the write lock.
    func freeze(_ operation: String) throws(StorageError) -> [ChangeRun] {
        do throws(SystemError) {
            return try journal.freeze()
        } catch {
            throw failure(error.code, operation: operation)
        }
    }

    /// Makes the frozen part of the journal the tree's next transaction, and makes that durable.
    func writeToTree(_ runs: [ChangeRun], operation: String) throws(StorageError) {
        publish { $0.hasCheckpoint = true }
        var begun: OpaquePointer?
        var code = mdb_txn_begin(handle, nil, 0, &begun)
        guard code == MDB_SUCCESS, let begun else { throw failure(code, operation: operation) }
        let transaction = LMDBTransaction(
            handle: begun, database: database, limits: limits, isReadOnly: false)
        code = transaction.apply(runs)
        guard code == MDB_SUCCESS else {
            mdb_txn_abort(begun)
            throw failure(code, operation: operation)
        }
        code = mdb_txn_commit(begun)
        guard code == MDB_SUCCESS else { throw failure(code, operation: operation) }
    }

    /// Lets snapshots go to the tree for what a checkpoint wrote. Needs the write lock.
    func endCheckpoint() {
        journal.dropFrozen()
        let recent = journal.recent
        publish {
            $0.tree += 1
            $0.hasCheckpoint = false
            $0.recent = recent
        }
    }
}
