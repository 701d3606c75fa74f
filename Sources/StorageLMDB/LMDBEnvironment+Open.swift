import CLMDB
import Glibc
import Storage

extension LMDBEnvironment {
    /// Opens the store in `directory` for this process, and makes it when there is none.
    ///
    /// Never called twice at a time for one directory: ``LMDBRegistry`` sees to it.
    static func open(
        _ directory: borrowing LMDBDirectory, _ options: LMDBOptions
    ) throws(StorageError) -> LMDBEnvironment {
        let lock = try directory.lock(mode: options.fileMode)
        try directory.prepare(mode: options.fileMode)

        var created: OpaquePointer?
        let code = mdb_env_create(&created)
        guard code == MDB_SUCCESS, let handle = created else {
            throw StorageError(lmdb: code, operation: "open store")
        }
        do throws(StorageError) {
            let database = try openDatabase(handle, path: directory.dataPath, options)
            let limits = StorageLimits(
                keyByteCountMax: Int(mdb_env_get_maxkeysize(handle)),
                valueByteCountMax: options.valueByteCountMax,
                snapshotCountMax: options.readerCountMax)
            let dataFile = try FileDescriptor(
                directory.dataPath, flags: O_RDWR, operation: "open store")
            var information = MDB_envinfo()
            var status = MDB_stat()
            var code = mdb_env_info(handle, &information)
            if code == MDB_SUCCESS { code = mdb_env_stat(handle, &status) }
            guard code == MDB_SUCCESS else {
                throw StorageError(lmdb: code, operation: "open store")
            }
            let tree = UInt64(information.me_last_txnid)
            let environment = LMDBEnvironment(
                handle: handle, database: database, identity: directory.identity, limits: limits,
                options: options, pageByteCount: Int(status.ms_psize),
                journal: try directory.openJournal(
                    mode: options.fileMode, tree: tree, isSynced: options.durability == .full),
                tree: tree, dataFile: dataFile, lock: lock)
            if environment.journal.recent != nil {
                environment.checkpointer.expectCheckpoint(of: environment, now: true)
            }
            return environment
        } catch {
            mdb_env_close(handle)
            throw error
        }
    }

    private static func openDatabase(
        _ handle: OpaquePointer, path: String, _ options: LMDBOptions
    ) throws(StorageError) -> MDB_dbi {
        // Not MDB_WRITEMAP: there a full disk is a SIGBUS, and a stray pointer writes into the data.
        var flags = MDB_NOSUBDIR | MDB_NOTLS
        if !options.readsAhead { flags |= MDB_NORDAHEAD }

        var code = mdb_env_set_mapsize(handle, options.mapByteCount)
        if code == MDB_SUCCESS {
            code = mdb_env_set_maxreaders(handle, UInt32(options.readerCountMax))
        }
        if code == MDB_SUCCESS {
            code = mdb_env_open(handle, path, UInt32(flags), options.fileMode)
        }
        guard code == MDB_SUCCESS else {
            if code == ENOMEM {
                throw StorageError(
                    .memory, operation: "open store",
                    native: "can't reserve \(options.mapByteCount) bytes of address space for the "
                        + "map: choose a smaller one, or raise the process's limit (ulimit -v)")
            }
            throw StorageError(lmdb: code, operation: "open store")
        }

        var database: MDB_dbi = 0
        var transaction: OpaquePointer?
        code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
        if code == MDB_SUCCESS {
            code = mdb_dbi_open(transaction, nil, 0, &database)
            var flags: UInt32 = 0
            if code == MDB_SUCCESS { code = mdb_dbi_flags(transaction, database, &flags) }
            mdb_txn_abort(transaction)
            if code == MDB_SUCCESS && flags != 0 { code = MDB_INCOMPATIBLE }
        }
        guard code == MDB_SUCCESS else { throw StorageError(lmdb: code, operation: "open store") }
        return database
    }
}
