import CLMDB
import Glibc
import Storage

extension LMDBEnvironment {
    /// Counts for metrics; costs a snapshot and two small copies.
    func information() throws(StorageError) -> LMDBInformation {
        let reader = try takeReader()
        defer { giveBack(reader) }
        var status = MDB_stat()
        var environment = MDB_envinfo()
        var code = mdb_stat(reader.handle, database, &status)
        if code == MDB_SUCCESS { code = mdb_env_info(handle, &environment) }
        guard code == MDB_SUCCESS else { throw StorageError(lmdb: code, operation: "information") }
        let pageByteCount = Int(status.ms_psize)
        return LMDBInformation(
            mapByteCount: environment.me_mapsize,
            mapUsedByteCount: (environment.me_last_pgno + 1) * pageByteCount,
            pageByteCount: pageByteCount,
            branchPageCount: status.ms_branch_pages,
            leafPageCount: status.ms_leaf_pages,
            overflowPageCount: status.ms_overflow_pages,
            depth: Int(status.ms_depth),
            entryCount: status.ms_entries,
            commit: UInt64(environment.me_last_txnid),
            useCount: pool.withLock { $0.useCount } - 1,
            readerSlotCount: Int(environment.me_numreaders),
            readerSlotCountMax: Int(environment.me_maxreaders))
    }

    /// The size of the data file; nil when it can't be told.
    var storedByteCount: Int? {
        var status = stat()
        return fstat(dataFile.number, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Makes this and every later commit survive a power cut, and also those made before.
    func makeDurable() throws(StorageError) {
        var flags: UInt32 = 0
        var code = mdb_env_get_flags(handle, &flags)
        guard code == MDB_SUCCESS, flags & UInt32(MDB_NOSYNC) != 0 else { return }
        code = mdb_env_set_flags(handle, UInt32(MDB_NOSYNC), 0)
        if code == MDB_SUCCESS { code = mdb_env_sync(handle, 1) }
        guard code == MDB_SUCCESS else { throw failure(code, operation: "sync") }
    }
}
