import CHoldfastLMDB
import HoldfastStorage

extension LMDBEnvironment {
    /// Writes what the journal has to the tree. Commits and snapshots go on meanwhile.
    ///
    /// - Returns: Whether commits wait that came too late for this checkpoint.
    /// - Throws: ``StorageError``; then the journal keeps the changes, and a later checkpoint goes on with
    ///   those that the tree lacks.
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
        try endCheckpoint("checkpoint")
        return journal.pendingByteCount > 0
    }

    /// Gives back the room of journal files that have grown long, unless something waits in them.
    func shrinkJournal() throws(StorageError) {
        try excludingWrites("shrink journal") { () throws(StorageError) in
            try journaling("shrink journal") { () throws(SystemError) in try journal.shrink() }
        }
    }

    /// Runs what neither a commit nor a checkpoint may meet.
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

    /// Freezes what the journal has. Needs the write lock.
    func freeze(_ operation: String) throws(StorageError) -> [ChangeRun] {
        let byteCount = journal.activeByteCount
        let runs = try journaling(operation) { () throws(SystemError) in
            try journal.freeze(tree: pool.withLock { $0.published.tree })
        }
        // What an unfinished checkpoint has left comes first, and gives no room.
        if journal.activeByteCount < byteCount { checkpointer.noteFreeze() }
        return runs
    }

    /// Writes the frozen part of the journal to the tree, in the order of keys and by transactions of their
    /// own, each of which is durable before the next.
    ///
    /// Snapshots and the journal know of all of them until ``endCheckpoint(_:)``: it does no harm when only
    /// the first ones succeed. The next attempt goes on behind those. Needs the checkpoint lock.
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

    /// Lets snapshots go to the tree for what a checkpoint wrote. Needs both locks.
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
