import CLMDB
import Glibc
import Storage
import Synchronization

/// A second, read-only view of an environment's file, for when LMDB has given the first one up.
///
/// When the write of a meta page fails, LMDB puts the former page back and answers every later call with
/// `MDB_PANIC`, reads included (`mdb_txn_renew0` in mdb.c, 0.9.24). Nothing is written any more then, so
/// the file can be read without LMDB's locks until the store is reopened.
///
/// `@unchecked Sendable`: the environment that `handle` names outlives this, and what changes is behind
/// a lock.
final class LMDBSpareReader: @unchecked Sendable {
    private let handle: OpaquePointer
    private let opened = Mutex<UInt?>(nil)

    /// A view that is opened when it is first used.
    init(of handle: OpaquePointer) {
        self.handle = handle
    }

    /// Begins a read transaction of the last commit. It is not kept: abort it at its end.
    ///
    /// Cost: some allocations, and the first time the opening of the file.
    func begin(database: MDB_dbi, limits: StorageLimits) throws(StorageError) -> LMDBTransaction {
        let bits = try opened.withLock { (opened) throws(StorageError) -> UInt in
            if let opened { return opened }
            let fresh = UInt(bitPattern: try open(database))
            opened = fresh
            return fresh
        }
        var begun: OpaquePointer?
        let code = mdb_txn_begin(OpaquePointer(bitPattern: bits), nil, UInt32(MDB_RDONLY), &begun)
        guard code == MDB_SUCCESS, let begun else {
            throw StorageError(lmdb: code, operation: "snapshot")
        }
        return LMDBTransaction(
            handle: begun, database: database, limits: limits, isReadOnly: true, isPooled: false)
    }

    /// Closes the view; every transaction has ended before.
    func close() {
        let bits = opened.withLock { $0.take() }
        if let bits { mdb_env_close(OpaquePointer(bitPattern: bits)) }
    }

    private func open(_ database: MDB_dbi) throws(StorageError) -> OpaquePointer {
        var path: UnsafePointer<CChar>?
        var information = MDB_envinfo()
        var created: OpaquePointer?
        var code = mdb_env_get_path(handle, &path)
        if code == MDB_SUCCESS { code = mdb_env_info(handle, &information) }
        if code == MDB_SUCCESS { code = mdb_env_create(&created) }
        guard code == MDB_SUCCESS, let created else {
            throw StorageError(lmdb: code, operation: "snapshot")
        }
        code = mdb_env_set_mapsize(created, information.me_mapsize)
        if code == MDB_SUCCESS {
            let flags = MDB_NOSUBDIR | MDB_NOTLS | MDB_RDONLY | MDB_NOLOCK
            code = mdb_env_open(created, path, UInt32(flags), 0)
        }
        // The same handle as in the first environment: the main database has a fixed one.
        var same: MDB_dbi = 0
        var transaction: OpaquePointer?
        if code == MDB_SUCCESS {
            code = mdb_txn_begin(created, nil, UInt32(MDB_RDONLY), &transaction)
        }
        if code == MDB_SUCCESS {
            code = mdb_dbi_open(transaction, nil, 0, &same)
            mdb_txn_abort(transaction)
        }
        if code == MDB_SUCCESS, same != database { code = MDB_BAD_DBI }
        guard code == MDB_SUCCESS else {
            mdb_env_close(created)
            throw StorageError(lmdb: code, operation: "snapshot")
        }
        return created
    }
}
