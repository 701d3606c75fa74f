import CHoldfastLMDB
import Glibc
import HoldfastStorage

/// An open LMDB file.
struct LMDBTree {
    let handle: OpaquePointer
    let database: MDB_dbi
    let pageByteCount: Int
    let transaction: UInt64

    /// Opens a data file; the caller closes ``handle``.
    init(path: String, _ options: LMDBOptions, isReadOnly: Bool) throws(StorageError) {
        var created: OpaquePointer?
        let code = mdb_env_create(&created)
        guard code == MDB_SUCCESS, let handle = created else {
            throw StorageError(lmdb: code, operation: "open store")
        }
        do throws(StorageError) {
            try Self.open(handle, path: path, options, isReadOnly: isReadOnly)
            let database = try Self.database(of: handle)
            var information = MDB_envinfo()
            var status = MDB_stat()
            try StorageError.require(lmdb: mdb_env_info(handle, &information), "open store")
            try StorageError.require(lmdb: mdb_env_stat(handle, &status), "open store")
            self.handle = handle
            self.database = database
            transaction = UInt64(information.me_last_txnid)
            pageByteCount = Int(status.ms_psize)
        } catch {
            mdb_env_close(handle)
            throw error
        }
    }

    private static func open(
        _ handle: OpaquePointer, path: String, _ options: LMDBOptions, isReadOnly: Bool
    ) throws(StorageError) {
        // Not MDB_WRITEMAP: with it a full disk causes a SIGBUS, and a stray pointer writes into the data.
        var flags = MDB_NOSUBDIR | MDB_NOTLS
        // The file is not written while the store is locked, so readers need no table; its file may not be writable.
        if isReadOnly { flags |= MDB_RDONLY | MDB_NOLOCK }

        var code = mdb_env_set_mapsize(handle, options.mapByteCount)
        if code == MDB_SUCCESS {
            code = mdb_env_set_maxreaders(handle, UInt32(options.readerCountMax))
        }
        if code == MDB_SUCCESS {
            code = mdb_env_open(handle, path, UInt32(flags), LMDBDirectory.fileMode)
        }
        guard code == MDB_SUCCESS else {
            if code == ENOMEM {
                throw StorageError(
                    .memory, operation: "open store",
                    native: "can't reserve \(options.mapByteCount) bytes of address space for the "
                        + "map: choose a smaller one, or raise the process's limit (ulimit -v)")
            }
            if code == MDB_INVALID {
                throw StorageError(
                    .corrupted, operation: "open store",
                    native: "\(path) does not begin with LMDB's pages (MDB_INVALID)")
            }
            throw StorageError(lmdb: code, operation: "open store")
        }
    }

    private static func database(of handle: OpaquePointer) throws(StorageError) -> MDB_dbi {
        func require(_ code: Int32) throws(StorageError) {
            try StorageError.require(lmdb: code, "open store")
        }
        var database: MDB_dbi = 0
        var flags: UInt32 = 0
        var transaction: OpaquePointer?
        try require(mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction))
        defer { mdb_txn_abort(transaction) }
        try require(mdb_dbi_open(transaction, nil, 0, &database))
        try require(mdb_dbi_flags(transaction, database, &flags))
        try require(flags == 0 ? MDB_SUCCESS : MDB_INCOMPATIBLE)
        return database
    }
}
