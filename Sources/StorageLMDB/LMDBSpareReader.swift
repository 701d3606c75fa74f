import CHoldfastLMDB
import HoldfastStorage
import Synchronization

/// A second, read-only view of an environment's file, used when LMDB refuses the first one.
///
/// When the write of a meta page fails, LMDB puts the former page back and answers every later call with `MDB_PANIC`, including
/// reads (`mdb_txn_renew0` in mdb.c, 0.9.24). Then nothing is written any more, so the file can be read without LMDB's locks
/// until the store is reopened.
///
/// Benchmark row: `point-get`.
final class LMDBSpareReader: Sendable {
    private let path: String
    private let options: LMDBOptions
    private let opened = Mutex<UInt?>(nil)

    /// Creates a view of a data file, which is opened at its first use.
    init(of path: String, _ options: LMDBOptions) {
        self.path = path
        self.options = options
    }

    /// Begins a read transaction of the last commit. It is not kept: abort it at its end.
    ///
    /// Cost: some allocations; the first time, the file is opened.
    /// - `database`: The environment's database: the main database has the same handle in every environment.
    func begin(database: MDB_dbi, limits: StorageLimits) throws(StorageError) -> LMDBTransaction {
        let bits = try opened.withLock { (opened) throws(StorageError) -> UInt in
            if let opened { return opened }
            let tree = try LMDBTree(path: path, options, isReadOnly: true)
            let fresh = UInt(bitPattern: tree.handle)
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

    /// Closes the view. All its transactions must have ended.
    func close() {
        let bits = opened.withLock { $0.take() }
        if let bits { mdb_env_close(OpaquePointer(bitPattern: bits)) }
    }
}
