import CHoldfastLMDB
import HoldfastStorage

extension LMDBEnvironment {
    /// Counts of pages and entries; costs a snapshot and two small copies.
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

    /// The size of the data file and the journal; nil when it is unknown.
    var storedByteCount: Int? {
        guard let byteCount = try? dataFile.byteCount(operation: "size") else { return nil }
        return byteCount + journal.storedByteCount
    }

    /// Makes this and every later commit survive a power cut, and also those made before.
    func makeDurable() throws(StorageError) {
        writeLock.lock()
        defer { writeLock.unlock() }
        try journaling("sync") { () throws(SystemError) in try journal.makeDurable() }
    }
}
