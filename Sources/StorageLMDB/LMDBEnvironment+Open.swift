import CLMDB
import Storage
import Synchronization

extension LMDBEnvironment {
    /// Opens the store in `directory` for this process, and makes it when there is none.
    ///
    /// A store whose medium has no room is opened for reading. Never called twice at a time for one directory:
    /// ``LMDBRegistry`` sees to it.
    static func open(
        _ directory: LMDBDirectory, _ options: LMDBOptions
    ) throws(StorageError) -> LMDBEnvironment {
        guard options.access == .writing else {
            let reason = StorageError(
                .permission, operation: "open store", native: "it was opened for reading")
            return try open(directory, options, reading: reason)
        }
        do throws(StorageError) {
            return try open(directory, options, reading: nil)
        } catch {
            guard error.code == .diskFull else { throw error }
            return try open(directory, options, reading: error)
        }
    }

    /// - `readingReason`: Why the store is not to be written.
    private static func open(
        _ directory: LMDBDirectory, _ options: LMDBOptions, reading readingReason: StorageError?
    ) throws(StorageError) -> LMDBEnvironment {
        let isReadOnly = readingReason != nil
        let lock = try directory.lock(mode: options.fileMode, forReading: isReadOnly)
        let found = try directory.inspect(acceptsLoss: options.acceptsLoss)
        if let readingReason {
            guard found != nil else { throw readingReason }
        } else {
            try directory.prepare(found, mode: options.fileMode)
            try directory.reserveReaders(options.readerCountMax, mode: options.fileMode)
        }
        let tree = try LMDBTree(path: directory.dataPath, options, isReadOnly: isReadOnly)
        do throws(StorageError) {
            let journal = try directory.openJournal(
                options, tree: tree.transaction, isReadOnly: isReadOnly)
            let parts = Parts(
                tree: tree, journal: journal,
                dataFile: try directory.openData(isReadOnly: isReadOnly), lock: lock,
                readingReason: readingReason, mayLackCommits: found?.mayLackCommits ?? false)
            let environment = LMDBEnvironment(directory, options, parts)
            if !isReadOnly { try environment.writeOpenMark() }
            if !isReadOnly, journal.recent != nil {
                environment.checkpointer.expectCheckpoint(of: environment, now: true)
            }
            return environment
        } catch {
            mdb_env_close(tree.handle)
            throw error
        }
    }

    /// Notes in the directory that the store is open. The journal's files must be there.
    ///
    /// As long as commits may be missing the mark says so, whatever may be lost from now on: the next start
    /// has to know it too.
    private func writeOpenMark() throws(StorageError) {
        let mayLack = mayLackCommits.load(ordering: .acquiring)
        try directory.writeMark(mayLack ? .relaxed : OpenMark(durability))
    }

    /// Notes that lost commits can no longer be confused with new ones.
    func noteNewEpoch() {
        guard mayLackCommits.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // Where it fails, the next start takes one more epoch.
        try? writeOpenMark()
    }

    /// Writes to the tree what waits, so that the data file alone is the store, and notes that it is so.
    ///
    /// What can't be written now stays in the journal for the next start. No caller is left to report it to.
    func leaveInOrder() {
        guard readingReason == nil else { return }
        while (try? checkpoint()) == true {}
        guard journal.pendingByteCount == 0, !mayLackCommits.load(ordering: .acquiring),
            (try? directory.writeMark(nil)) != nil
        else { return }
        journal.truncate()
    }
}
