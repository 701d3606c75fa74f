import CHoldfastLMDB
import Glibc
import HoldfastStorage
import HoldfastThreads
import Synchronization

/// An open LMDB file with its journal, shared by every ``LMDBEngine`` of this process on its directory.
///
/// It is closed, and the directory unlocked, when the last engine is closed and the last snapshot and write transaction have
/// ended. So a forgotten snapshot keeps the map alive instead of reading unmapped memory.
///
/// `@unchecked Sendable`: many threads use `handle` as `lmdb.h` allows; `journal` and `lastRecordByteCount` are used under
/// `writeLock`, `checkpointRest` under `checkpointLock`; all other variable state is behind a lock or atomic.
final class LMDBEnvironment: @unchecked Sendable {
    /// The state that a snapshot sees: the tree and the changes that it lacks.
    struct Published {
        var commit: UInt64
        /// The changes up to that commit that the tree lacks.
        var recent: RecentChanges?
        /// The tree's last transaction.
        var tree: UInt64
        /// The tree's last transaction that a checkpoint under way may have made. The transactions after `tree` write changes
        /// that `recent` has as well.
        var treeEnd: UInt64
    }

    /// The pool of read transactions, which changes whenever a snapshot is taken or closed.
    struct Pool: ~Copyable {
        /// Ended read transactions that keep their reader slots; the one that was used last is reused first.
        var idle: [LMDBTransaction] = []
        /// Open snapshots and write transactions, and commits under way.
        var useCount = 0
        /// Open engines.
        var engineCount = 1
        /// The state that the next snapshot sees.
        var published: Published
        /// Keeps other processes out until the environment is closed.
        var lock: StoreLock?
        /// Whether the environment is closed and `handle` is gone.
        var isClosed = false
    }

    let handle: OpaquePointer
    let database: MDB_dbi
    let directory: LMDBDirectory
    /// The durability of commits.
    let durability: LMDBOptions.Durability
    /// The reason why the store was opened for reading; nil if it can be written.
    let readingReason: StorageError?
    /// Whether acknowledged commits may be missing and no new epoch has been taken since.
    let mayLackCommits: Atomic<Bool>
    let limits: StorageLimits
    let mapByteCount: Int
    let pageByteCount: Int
    /// The journal's length in bytes at which a checkpoint begins. If the next commit may go beyond twice this length, its writer
    /// waits for a checkpoint; a commit that does go beyond it goes to the tree.
    let checkpointByteCount: Int
    /// The number of changes of one transaction of a checkpoint.
    let checkpointChangeCount: Int
    /// A descriptor of the data file, to find out its size and the state of its medium.
    let dataFile: FileDescriptor
    let pool: Mutex<Pool>
    /// The tree's last write transaction that was begun, even if it was not committed; see ``takeReader()``.
    let lastBegun: Atomic<UInt64>

    /// The log of commits that the tree lacks.
    let journal: Journal
    /// The length of the journal's last record; if the commit went to the tree, the length that it would have had.
    var lastRecordByteCount = 0
    /// Locked during a commit. When both locks are needed, it is taken after `checkpointLock`.
    let writeLock = OwnedLock()
    /// Locked while the journal's changes are written to the tree.
    let checkpointLock = OwnedLock()
    /// The changes of the journal's frozen part that the tree lacks; nil unless it has some of them.
    var checkpointRest: RecentCursor?
    /// Requests checkpoints in time.
    let checkpointer: Checkpointer

    /// A second reader, used when `handle` refuses to read.
    let spare: LMDBSpareReader
    let refusal = Mutex<StorageError?>(nil)

    /// Opens the store in `directory` for this process, and creates it if it is missing. ``LMDBRegistry`` makes sure that it is
    /// never called twice at a time for one directory.
    ///
    /// - `readingReason`: The reason why the store must not be written; nil if it may be.
    init(
        _ directory: LMDBDirectory, _ options: LMDBOptions, reading readingReason: StorageError?
    ) throws(StorageError) {
        let isReadOnly = readingReason != nil
        let lock = try directory.lock(forReading: isReadOnly)
        let found = try directory.inspect(
            acceptsLoss: options.acceptsLoss, checkedByteCountMax: options.checkedByteCountMax)
        if let readingReason {
            guard found != nil else {
                guard readingReason.code == .permission else { throw readingReason }
                try directory.requireUnused()
                throw .unfinished
            }
        } else {
            try directory.prepare(found)
            try directory.reserveReaders(options.readerCountMax)
        }
        let tree = try LMDBTree(path: directory.dataPath, options, isReadOnly: isReadOnly)
        do throws(StorageError) {
            journal = try directory.openJournal(
                options, tree: tree.transaction, isReadOnly: isReadOnly)
            dataFile = try directory.openData(isReadOnly: isReadOnly)
            if !isReadOnly {
                // The mark stays `relaxed` as long as commits may be missing, even if later commits are durable, so that the next
                // start knows it too.
                try directory.writeMark(
                    found?.mayLackCommits ?? false ? .relaxed : options.durability)
            }
        } catch {
            mdb_env_close(tree.handle)
            throw error
        }
        mayLackCommits = Atomic(found?.mayLackCommits ?? false)
        self.directory = directory
        self.readingReason = readingReason
        handle = tree.handle
        spare = LMDBSpareReader(of: directory.dataPath, options)
        database = tree.database
        durability = options.durability
        limits = StorageLimits(
            keyByteCountMax: Int(mdb_env_get_maxkeysize(tree.handle)),
            valueByteCountMax: options.valueByteCountMax, snapshotCountMax: options.readerCountMax)
        mapByteCount = options.mapByteCount
        pageByteCount = tree.pageByteCount
        checkpointByteCount = options.checkpointByteCount
        checkpointChangeCount = options.checkpointChangeCount
        checkpointer = Checkpointer(delayMilliseconds: options.checkpointMilliseconds)
        let published = Published(
            commit: journal.recent == nil ? tree.transaction : journal.lastCommit,
            recent: journal.recent, tree: tree.transaction, treeEnd: tree.transaction)
        pool = Mutex(Pool(published: published, lock: lock))
        lastBegun = Atomic(tree.transaction)
    }

    // MARK: Reading

    /// Begins a read transaction of the tree, and returns it with the changes that the tree lacks. Return it by ``giveBack(_:)``.
    ///
    /// LMDB first takes the number of the last transaction and then copies the roots of its trees from one of two meta pages,
    /// without a second check (`mdb_txn_renew0` in mdb.c, 0.9.24 to 1.0). If a thread is stopped between the two while two
    /// transactions are committed, it gets the roots of a later one, or half of them, with the earlier number. The page of a
    /// transaction is next written by the second transaction after it, so roots that were copied before that one was begun belong
    /// to the number.
    func takeReader() throws(StorageError) -> (reader: LMDBTransaction, state: Published) {
        while true {
            let (idle, state) = try pool.withLock {
                (pool) throws(StorageError) -> (LMDBTransaction?, Published) in
                guard !pool.isClosed else { throw StorageError(.closed, operation: "snapshot") }
                pool.useCount += 1
                return (pool.idle.popLast(), pool.published)
            }
            let reader = try begin(idle)
            // Between the two steps the tree may have gone beyond the published state.
            let number = reader.number
            atomicMemoryFence(ordering: .acquiring)
            let isWhole = lastBegun.load(ordering: .relaxed) <= number + 1
            if !reader.isPooled || (isWhole && number >= state.tree && number <= state.treeEnd) {
                return (reader, state)
            }
            giveBack(reader)
            sched_yield()
        }
    }

    /// Begins a read transaction, in an ended one if there is one.
    private func begin(_ idle: LMDBTransaction?) throws(StorageError) -> LMDBTransaction {
        if let idle {
            let code = mdb_txn_renew(idle.handle)
            guard code == MDB_SUCCESS else {
                idle.closeCursors()
                mdb_txn_abort(idle.handle)
                return try beginSpareReader(after: code)
            }
            return idle
        }
        var begun: OpaquePointer?
        let code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &begun)
        guard code == MDB_SUCCESS, let begun else { return try beginSpareReader(after: code) }
        return LMDBTransaction(handle: begun, database: database, limits: limits, isReadOnly: true)
    }

    /// Begins a read transaction outside of the environment if the environment refuses everything, as it does after a failed
    /// write of the meta page.
    private func beginSpareReader(after code: Int32) throws(StorageError) -> LMDBTransaction {
        do throws(StorageError) {
            guard code == MDB_PANIC else { throw StorageError(lmdb: code, operation: "snapshot") }
            return try spare.begin(database: database, limits: limits)
        } catch {
            endUse()
            throw error
        }
    }

    /// Ends a read transaction and keeps it for the next snapshot.
    func giveBack(_ reader: LMDBTransaction) {
        if reader.isPooled {
            mdb_txn_reset(reader.handle)
        } else {
            reader.closeCursors()
            mdb_txn_abort(reader.handle)
        }
        endUse(keeping: reader.isPooled ? reader : nil)
    }

    // MARK: Uses

    /// Keeps the environment open until ``endUse(keeping:)``.
    func beginUse(_ operation: String) throws(StorageError) {
        try pool.withLock { (pool) throws(StorageError) in
            guard !pool.isClosed else { throw StorageError(.closed, operation: operation) }
            pool.useCount += 1
        }
    }

    /// Ends a use.
    ///
    /// - `reader`: A read transaction that has ended, for the next snapshot.
    func endUse(keeping reader: LMDBTransaction? = nil) {
        let isLastUse = pool.withLock { pool in
            if let reader { pool.idle.append(reader) }
            pool.useCount -= 1
            return pool.useCount == 0 && pool.engineCount == 0
        }
        if isLastUse { LMDBRegistry.closeIfUnused(self) }
    }

    /// Publishes a new state for later snapshots.
    func publish(_ change: (inout Published) -> Void) { pool.withLock { change(&$0.published) } }
}

extension LMDBEnvironment {
    /// Replaces the data file by a copy without unused pages, and refuses later writes, because the map still belongs to the old
    /// file.
    ///
    /// The journal is emptied first: its records refer to transactions by number, and the copy counts its own from 1.
    func compact() throws(StorageError) {
        while try checkpoint() {}
        try excludingWrites("compact") { () throws(StorageError) in try replaceWithCopy() }
    }

    private func replaceWithCopy() throws(StorageError) {
        guard journal.pendingByteCount == 0 else {
            throw StorageError(.conflict, operation: "compact", native: "the store is in use")
        }
        try journaling("compact") { () throws(SystemError) in try journal.clear() }
        try directory.replaceData { file throws(StorageError) in
            try StorageError.require(
                lmdb: mdb_env_copyfd2(handle, file, UInt32(MDB_CP_COMPACT)), "compact")
            // From here on the copy may be the store, even if a sync fails.
            refuseWrites(since: StorageError(.closed, operation: "compact"))
        }
    }

    /// Returns counts of pages and entries; costs a snapshot and two small copies.
    func information() throws(StorageError) -> LMDBInformation {
        let (reader, _) = try takeReader()
        defer { giveBack(reader) }
        var status = MDB_stat()
        var environment = MDB_envinfo()
        try StorageError.require(lmdb: mdb_stat(reader.handle, database, &status), "information")
        try StorageError.require(lmdb: mdb_env_info(handle, &environment), "information")
        return LMDBInformation(
            mapUsedByteCount: (environment.me_last_pgno + 1) * pageByteCount,
            pageByteCount: pageByteCount, branchPageCount: status.ms_branch_pages,
            leafPageCount: status.ms_leaf_pages, entryCount: status.ms_entries)
    }

    /// The size of the data file and the journal; nil if it is unknown.
    var storedByteCount: Int? {
        guard let byteCount = try? dataFile.byteCount(operation: "size") else { return nil }
        return byteCount + journal.storedByteCount
    }

    /// Makes earlier and later commits survive a power cut.
    func makeDurable() throws(StorageError) {
        writeLock.lock()
        defer { writeLock.unlock() }
        try journaling("sync") { () throws(SystemError) in try journal.makeDurable() }
    }

    /// Opens the store in `directory` with the options. If its medium has no room, it is opened for reading.
    static func open(
        _ directory: LMDBDirectory, _ options: LMDBOptions
    ) throws(StorageError) -> LMDBEnvironment {
        guard options.access == .writing else {
            return try LMDBEnvironment(
                directory, options,
                reading: StorageError(
                    .permission, operation: "open store", native: "it was opened for reading"))
        }
        do throws(StorageError) {
            let environment = try LMDBEnvironment(directory, options, reading: nil)
            if environment.journal.recent != nil {
                environment.checkpointer.expectCheckpoint(of: environment, now: true)
            }
            return environment
        } catch {
            guard error.code == .diskFull else { throw error }
            return try LMDBEnvironment(directory, options, reading: error)
        }
    }

    /// Notes that lost commits can no longer be confused with new ones.
    func noteNewEpoch() {
        guard mayLackCommits.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // If this fails, the next start takes one more epoch.
        try? directory.writeMark(durability)
    }

    /// Writes the waiting changes to the tree, so that the data file is the complete store, and removes the mark.
    ///
    /// Changes that cannot be written now stay in the journal for the next start. There is no caller left to report the failure
    /// to.
    func leaveInOrder() {
        guard readingReason == nil else { return }
        while (try? checkpoint()) == true {}
        guard journal.pendingByteCount == 0, !mayLackCommits.load(ordering: .acquiring),
            (try? directory.writeMark(nil)) != nil
        else { return }
        journal.truncate()
    }
}
