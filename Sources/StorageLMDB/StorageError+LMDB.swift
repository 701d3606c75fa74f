import CLMDB
import Glibc
import Storage

extension StorageError {
    /// What a return code of liblmdb means to callers of the port.
    ///
    /// LMDB returns its own codes below zero, listed in `lmdb.h`, and those of the operating system
    /// above. `MDB_NOTFOUND` means "no such entry" where it is expected and never gets here from
    /// there; anywhere else it is damage.
    package init(lmdb code: Int32, operation: String) {
        let mapped: Code
        let name: String
        switch code {
        case MDB_KEYEXIST: (mapped, name) = (.corrupted, "MDB_KEYEXIST")
        case MDB_NOTFOUND: (mapped, name) = (.corrupted, "MDB_NOTFOUND")
        case MDB_PAGE_NOTFOUND: (mapped, name) = (.corrupted, "MDB_PAGE_NOTFOUND")
        case MDB_CORRUPTED: (mapped, name) = (.corrupted, "MDB_CORRUPTED")
        case MDB_PANIC: (mapped, name) = (.io, "MDB_PANIC")
        case MDB_VERSION_MISMATCH: (mapped, name) = (.format, "MDB_VERSION_MISMATCH")
        case MDB_INVALID: (mapped, name) = (.format, "MDB_INVALID")
        case MDB_MAP_FULL: (mapped, name) = (.diskFull, "MDB_MAP_FULL")
        case MDB_DBS_FULL: (mapped, name) = (.memory, "MDB_DBS_FULL")
        case MDB_READERS_FULL: (mapped, name) = (.readersFull, "MDB_READERS_FULL")
        case MDB_TLS_FULL: (mapped, name) = (.memory, "MDB_TLS_FULL")
        case MDB_TXN_FULL: (mapped, name) = (.memory, "MDB_TXN_FULL")
        case MDB_CURSOR_FULL: (mapped, name) = (.corrupted, "MDB_CURSOR_FULL")
        case MDB_PAGE_FULL: (mapped, name) = (.corrupted, "MDB_PAGE_FULL")
        case MDB_MAP_RESIZED: (mapped, name) = (.locked, "MDB_MAP_RESIZED")
        case MDB_INCOMPATIBLE: (mapped, name) = (.format, "MDB_INCOMPATIBLE")
        case MDB_BAD_RSLOT: (mapped, name) = (.corrupted, "MDB_BAD_RSLOT")
        case MDB_BAD_TXN: (mapped, name) = (.closed, "MDB_BAD_TXN")
        case MDB_BAD_VALSIZE: (mapped, name) = (.badKey, "MDB_BAD_VALSIZE")
        case MDB_BAD_DBI: (mapped, name) = (.corrupted, "MDB_BAD_DBI")
        default:
            self.init(systemError: code, operation: operation)
            return
        }
        self.init(mapped, operation: operation, native: "\(name) (\(code))")
    }

    /// Whether a store may still be read where this was met in writing: the medium is full, or this process may
    /// not write it.
    var isOfUnwritableMedium: Bool { code == .diskFull || code == .permission }

    /// What an `errno` means to callers of the port.
    ///
    /// - Parameters:
    ///   - code: The `errno`.
    ///   - operation: The step that failed.
    ///   - detail: What was tried, such as a file's name, put before the system's own words.
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
        self.init(
            mapped, operation: operation, native: detail.map { "\($0): \(native)" } ?? native)
    }
}
