import CLMDB
import Glibc
import Storage
import Synchronization

/// One open LMDB file: shared by every ``LMDBEngine`` of this process that names its directory.
///
/// It is closed, and the directory unlocked, when the last engine is closed and the last snapshot
/// and write transaction have ended, whichever comes last: a forgotten snapshot keeps the map alive
/// instead of reading unmapped memory.
///
/// `@unchecked Sendable`: `handle` is used by many threads as `lmdb.h` allows; everything else that
/// changes is behind a lock or atomic.
final class LMDBEnvironment: @unchecked Sendable {
    /// What changes whenever a snapshot is taken or given back.
    struct Pool: ~Copyable {
        /// Ended read transactions that keep their reader slots; the last used is used first.
        var idle: [LMDBTransaction] = []
        /// Open snapshots and write transactions, and commits under way.
        var useCount = 0
        /// Open engines.
        var engineCount = 1
        /// Keeps other processes out until the environment is closed.
        var lockFile: FileDescriptor?
        /// Whether the environment is closed and `handle` is gone.
        var isClosed = false
    }

    let handle: OpaquePointer
    let database: MDB_dbi
    let identity: LMDBDirectory.Identity
    let limits: StorageLimits
    /// Our own descriptor of the data file, to ask for its size and for the state of its medium.
    let dataFile: FileDescriptor
    let pool: Mutex<Pool>

    /// Reads on when `handle` refuses to.
    let spare: LMDBSpareReader
    private let refusal = Mutex<StorageError?>(nil)
    /// The thread that has the write transaction open; zero for none.
    private let writerThread = Atomic<UInt>(0)

    init(
        handle: OpaquePointer, database: MDB_dbi, identity: LMDBDirectory.Identity,
        limits: StorageLimits, dataFile: consuming FileDescriptor,
        lockFile: consuming FileDescriptor
    ) {
        self.handle = handle
        spare = LMDBSpareReader(of: handle)
        self.database = database
        self.identity = identity
        self.limits = limits
        self.dataFile = dataFile
        pool = Mutex(Pool(lockFile: lockFile))
    }

    // MARK: Reading

    /// A read transaction of the last commit; give it back by ``giveBack(_:)``.
    func takeReader() throws(StorageError) -> LMDBTransaction {
        let idle = try pool.withLock { (pool) throws(StorageError) -> LMDBTransaction? in
            guard !pool.isClosed else { throw StorageError(.closed, operation: "snapshot") }
            pool.useCount += 1
            return pool.idle.popLast()
        }
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
        return LMDBTransaction(
            handle: begun, database: database, limits: limits, isReadOnly: true)
    }

    /// Begins a read transaction beside the environment where that refuses everything, which it does
    /// after a failed write of the meta page.
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
        let isLastUse = pool.withLock { pool in
            if reader.isPooled { pool.idle.append(reader) }
            pool.useCount -= 1
            return pool.useCount == 0 && pool.engineCount == 0
        }
        if isLastUse { LMDBRegistry.closeIfUnused(self) }
    }

    private func beginUse(_ operation: String) throws(StorageError) {
        try pool.withLock { (pool) throws(StorageError) in
            guard !pool.isClosed else { throw StorageError(.closed, operation: operation) }
            pool.useCount += 1
        }
    }

    private func endUse() {
        let isLastUse = pool.withLock { pool in
            pool.useCount -= 1
            return pool.useCount == 0 && pool.engineCount == 0
        }
        if isLastUse { LMDBRegistry.closeIfUnused(self) }
    }

    // MARK: Writing

    /// Begins the only write transaction, on this thread; waits for another thread's to end.
    ///
    /// LMDB's write lock is a mutex that belongs to its thread, `MDB_NOTLS` or not: the transaction
    /// has to end on the thread that began it.
    func beginWrite(base: UInt64, operation: String) throws(StorageError) -> LMDBTransaction {
        let thread = UInt(pthread_self())
        precondition(
            writerThread.load(ordering: .relaxed) != thread,
            "this thread has a write transaction open: end it before the next write")
        try beginUse(operation)
        var begun: OpaquePointer?
        let code = mdb_txn_begin(handle, nil, 0, &begun)
        guard code == MDB_SUCCESS, let begun else {
            let error = failure(code, operation: operation)
            endUse()
            throw error
        }
        writerThread.store(thread, ordering: .relaxed)
        let transaction = LMDBTransaction(
            handle: begun, database: database, limits: limits, isReadOnly: false)
        if let first = refusal.withLock({ $0 }) {
            rollBack(transaction)
            throw StorageError(
                .io, operation: operation,
                native: "writes are refused until the store is reopened, since "
                    + "\(first.operation) failed: \(first.native ?? first.code.rawValue)")
        }
        guard transaction.number == base + 1 else {
            rollBack(transaction)
            throw StorageError(.conflict, operation: operation)
        }
        return transaction
    }

    /// Ends a write transaction without a trace.
    func rollBack(_ transaction: LMDBTransaction) {
        requireWriterThread()
        transaction.closeCursors()
        writerThread.store(0, ordering: .relaxed)
        mdb_txn_abort(transaction.handle)
        endUse()
    }

    /// Ends a write transaction, and returns when it is as durable as the options say.
    func commit(_ transaction: LMDBTransaction) throws(StorageError) {
        requireWriterThread()
        transaction.closeCursors()
        writerThread.store(0, ordering: .relaxed)
        let code = mdb_txn_commit(transaction.handle)
        defer { endUse() }
        guard code == MDB_SUCCESS else { throw failure(code, operation: "commit") }
    }

    /// Traps unless the calling thread began the open write transaction.
    func requireWriterThread() {
        precondition(
            writerThread.load(ordering: .relaxed) == UInt(pthread_self()),
            "a write transaction is used on the thread that began it")
    }

    /// The error of a failed write, after which writes are refused if the medium can't be trusted.
    ///
    /// The kernel reports a failed write-back once and may then call the pages clean, so that a
    /// later sync succeeds over lost data. A new start reads what is really there.
    func failure(_ code: Int32, operation: String) -> StorageError {
        var error = StorageError(lmdb: code, operation: operation)
        if code == EIO && isMediumFull() {
            // LMDB calls a short write EIO, and a full disk shows as one.
            error = StorageError(.diskFull, operation: operation, native: "short write, EIO (5)")
        }
        switch error.code {
        case .io, .corrupted, .permission, .format, .unavailable:
            refusal.withLock { if $0 == nil { $0 = error } }
        case .conflict, .badKey, .valueTooLong, .diskFull, .readersFull, .locked, .closed, .memory:
            break
        }
        return error
    }

    /// Whether the data file can't grow, and nothing else is wrong with its medium.
    ///
    /// Our own descriptor has not yet seen a write-back error, so it would report one now.
    private func isMediumFull() -> Bool {
        guard fdatasync(dataFile.number) == 0 else { return false }
        var status = stat()
        guard fstat(dataFile.number, &status) == 0 else { return false }
        if shim_reserve_keeping_size(dataFile.number, status.st_size, 1 << 20) == 0 { return false }
        if errno == ENOSPC || errno == EDQUOT || errno == EFBIG { return true }
        var medium = statvfs()
        guard fstatvfs(dataFile.number, &medium) == 0 else { return false }
        return UInt(medium.f_bavail) * UInt(medium.f_frsize) < 1 << 20
    }
}
