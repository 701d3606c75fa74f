import CHoldfastLMDB
import Glibc
import HoldfastStorage

extension LMDBEnvironment {
    /// Puts a copy without unused pages in the place of the data file, and refuses writes from then on:
    /// the map is the old file's.
    ///
    /// The journal is emptied before: its records continue transactions by number, and the copy counts
    /// its own from 1.
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
            // From here on the copy may be the store, also where a sync fails.
            refuseWrites(since: StorageError(.closed, operation: "compact"))
        }
    }
}
