import CHoldfastLMDB
import Glibc
import HoldfastStorage

extension StorageError {
    /// Translates a return code of liblmdb for callers of the port.
    ///
    /// LMDB's own codes, listed in `lmdb.h`, are below zero, and codes of the operating system are above. If `MDB_NOTFOUND` is
    /// expected, it means "no such entry" and is not passed here; anywhere else it is damage.
    package init(lmdb code: Int32, operation: String) {
        let mapped: Code
        switch code {
        case MDB_PANIC: mapped = .io
        case MDB_VERSION_MISMATCH, MDB_INVALID, MDB_INCOMPATIBLE: mapped = .format
        case MDB_MAP_FULL: mapped = .diskFull
        case MDB_DBS_FULL, MDB_TLS_FULL, MDB_TXN_FULL: mapped = .memory
        case MDB_READERS_FULL: mapped = .readersFull
        case MDB_MAP_RESIZED: mapped = .locked
        case MDB_BAD_TXN: mapped = .closed
        case MDB_BAD_VALSIZE: mapped = .badKey
        case MDB_KEYEXIST...MDB_LAST_ERRCODE: mapped = .corrupted
        default:
            self.init(systemError: code, operation: operation)
            return
        }
        // The text is, for example, "MDB_PANIC: Update of meta page failed or environment had fatal error".
        let text = mdb_strerror(code).map { String(cString: $0) } ?? ""
        self.init(mapped, operation: operation, native: "\(text.prefix { $0 != ":" }) (\(code))")
    }

    /// Throws the error of a return code of liblmdb, unless it is the code of success.
    static func require(lmdb code: Int32, _ operation: String) throws(StorageError) {
        if code != MDB_SUCCESS { throw StorageError(lmdb: code, operation: operation) }
    }

    /// Whether a store may still be read after this error in writing: the medium is full, or this process may not write it.
    var isOfUnwritableMedium: Bool { code == .diskFull || code == .permission }

    /// Translates an `errno` for callers of the port.
    ///
    /// - Parameters:
    ///   - code: The `errno`.
    ///   - operation: The step that failed.
    ///   - detail: The object of the step, such as a file's name, put before the system's own words.
    package init(systemError code: Int32, operation: String, detail: String? = nil) {
        let mapped: Code =
            switch code {
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            case EACCES, EPERM, EROFS: .permission
            case ENOMEM: .memory
            case EAGAIN, EBUSY, EDEADLK: .locked
            default: .io
            }
        let words = strerror(code).map { String(cString: $0) } ?? "unknown error"
        let native = "\(words) (\(code))"
        self.init(mapped, operation: operation, native: detail.map { "\($0): \(native)" } ?? native)
    }
}

/// A failed system call.
struct SystemError: Error {
    /// The call's `errno`.
    let code: Int32
    /// Whether the call was to make written bytes durable; then the content of the medium is unknown.
    var isOfSync = false

    /// Whether the medium had no room.
    var isOfFullMedium: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}
