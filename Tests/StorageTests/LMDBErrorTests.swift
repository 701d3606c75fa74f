import Glibc
import HoldfastStorage
import HoldfastStorageLMDB
import Testing

@Suite("LMDB's error codes")
struct LMDBErrorTests {
    @Test(
        "each means one thing to callers",
        arguments: [
            (-30799, .corrupted, "MDB_KEYEXIST"), (-30798, .corrupted, "MDB_NOTFOUND"),
            (-30797, .corrupted, "MDB_PAGE_NOTFOUND"), (-30796, .corrupted, "MDB_CORRUPTED"),
            (-30795, .io, "MDB_PANIC"), (-30794, .format, "MDB_VERSION_MISMATCH"),
            (-30793, .format, "MDB_INVALID"), (-30792, .diskFull, "MDB_MAP_FULL"),
            (-30791, .memory, "MDB_DBS_FULL"), (-30790, .readersFull, "MDB_READERS_FULL"),
            (-30789, .memory, "MDB_TLS_FULL"), (-30788, .memory, "MDB_TXN_FULL"),
            (-30787, .corrupted, "MDB_CURSOR_FULL"), (-30786, .corrupted, "MDB_PAGE_FULL"),
            (-30785, .locked, "MDB_MAP_RESIZED"), (-30784, .format, "MDB_INCOMPATIBLE"),
            (-30783, .corrupted, "MDB_BAD_RSLOT"), (-30782, .closed, "MDB_BAD_TXN"),
            (-30781, .badKey, "MDB_BAD_VALSIZE"), (-30780, .corrupted, "MDB_BAD_DBI"),
        ] as [(Int32, StorageError.Code, String)])
    func library(number: Int32, code: StorageError.Code, name: String) {
        let error = StorageError(lmdb: number, operation: "get")
        #expect(error == StorageError(code, operation: "get", native: "\(name) (\(number))"))
    }

    @Test(
        "so does each of the system",
        arguments: [
            (ENOSPC, .diskFull), (EDQUOT, .diskFull), (EFBIG, .diskFull), (EACCES, .permission),
            (EPERM, .permission), (EROFS, .permission), (ENOMEM, .memory), (EAGAIN, .locked),
            (EBUSY, .locked), (EIO, .io), (EINVAL, .io), (ENOENT, .io),
        ] as [(Int32, StorageError.Code)])
    func system(number: Int32, code: StorageError.Code) {
        let error = StorageError(lmdb: number, operation: "commit")
        #expect(error.code == code)
        #expect(error.native?.hasSuffix("(\(number))") == true)
    }
}
