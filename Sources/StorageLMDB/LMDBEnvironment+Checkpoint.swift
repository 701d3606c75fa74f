import CHoldfastLMDB
import HoldfastStorage

extension LMDBEnvironment {
    /// Writes the journal's changes to the tree. Commits and snapshots go on meanwhile.
    ///
    /// - Returns: Whether commits wait that came too late for this checkpoint.
    /// - Throws: ``StorageError``; then the journal keeps the changes, and a later checkpoint continues with the changes that the
    ///   tree lacks.
    @discardableResult
    func checkpoint() throws(StorageError) -> Bool {
        // A thread with a write transaction would wait for itself.
        writeLock.requireNotOwner()
        checkpointLock.lock()
        defer { checkpointLock.unlock() }
        let runs = try beginCheckpoint()
        guard !runs.isEmpty else { return false }
        try writeToTree(runs, operation: "checkpoint")
        writeLock.lock()
        defer { writeLock.unlock() }
        try endCheckpoint("checkpoint")
        return journal.pendingByteCount > 0
    }

    /// Shortens journal files that have grown long, unless commits wait in them.
    func shrinkJournal() throws(StorageError) {
        try excludingWrites("shrink journal") { () throws(StorageError) in
            try journaling("shrink journal") { () throws(SystemError) in try journal.shrink() }
        }
    }

    /// Runs `body` while neither a commit nor a checkpoint runs.
    func excludingWrites(
        _ operation: String, _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        writeLock.requireNotOwner()
        checkpointLock.lock()
        defer { checkpointLock.unlock() }
        writeLock.lock()
        defer { writeLock.unlock() }
        try requireWritable(operation)
        try body()
    }

    private func beginCheckpoint() throws(StorageError) -> [ChangeRun] {
        writeLock.lock()
        defer { writeLock.unlock() }
        try requireWritable("checkpoint")
        let runs = try freeze("checkpoint")
        let recent = journal.recent
        publish { $0.recent = recent }
        return runs
    }

    /// Freezes the journal's changes. Needs the write lock.
    func freeze(_ operation: String) throws(StorageError) -> [ChangeRun] {
        let byteCount = journal.activeByteCount
        let runs = try journaling(operation) { () throws(SystemError) in
            try journal.freeze(tree: pool.withLock { $0.published.tree })
        }
        // The changes of an unfinished checkpoint come first; freezing these again does not empty a file.
        if journal.activeByteCount < byteCount { checkpointer.noteFreeze() }
        return runs
    }

    /// Writes the frozen part of the journal to the tree, in the order of keys and in transactions of its own, each of which is
    /// durable before the next.
    ///
    /// Snapshots and the journal treat all of the changes as missing from the tree until ``endCheckpoint(_:)``, so it does no
    /// harm if only the first transactions succeed. The next attempt continues after them. Needs the checkpoint lock.
    func writeToTree(_ runs: [ChangeRun], operation: String) throws(StorageError) {
        while true {
            var changes = checkpointRest ?? RecentCursor(runs)
            guard changes.change != nil else { return }
            let transaction = try beginTreeTransaction(operation)
            publish { $0.treeEnd = transaction.number }
            var code = transaction.apply(&changes, changeCountMax: checkpointChangeCount)
            guard code == MDB_SUCCESS else {
                mdb_txn_abort(transaction.handle)
                throw failure(code, operation: operation)
            }
            code = mdb_txn_commit(transaction.handle)
            guard code == MDB_SUCCESS else { throw failure(code, operation: operation) }
            checkpointRest = changes
        }
    }

    /// Lets snapshots read a checkpoint's changes from the tree. Needs both locks.
    func endCheckpoint(_ operation: String) throws(StorageError) {
        try journaling(operation) { () throws(SystemError) in
            try journal.dropFrozen(tree: pool.withLock { $0.published.treeEnd })
        }
        checkpointRest = nil
        let recent = journal.recent
        publish {
            $0.tree = $0.treeEnd
            $0.recent = recent
        }
    }
}
