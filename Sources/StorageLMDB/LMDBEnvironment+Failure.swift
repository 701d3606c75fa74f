import CHoldfastLMDB
import Glibc
import HoldfastStorage

extension LMDBEnvironment {
    /// Throws if writes are refused because an earlier one failed, or the store was opened for reading.
    func requireWritable(_ operation: String) throws(StorageError) {
        if let readingReason {
            let native = readingReason.native ?? readingReason.code.rawValue
            throw StorageError(
                readingReason.code, operation: operation,
                native: "writes are refused until the store is reopened: \(native)")
        }
        if let first = refusal.withLock({ $0 }) {
            throw StorageError(
                .io, operation: operation,
                native: "writes are refused until the store is reopened, since "
                    + "\(first.operation) failed: \(first.native ?? first.code.rawValue)")
        }
    }

    /// Refuses writes from now on, unless they are refused already.
    func refuseWrites(since error: StorageError) {
        refusal.withLock { if $0 == nil { $0 = error } }
    }

    /// Returns the error of a failed write, and refuses later writes if the medium is no longer reliable.
    ///
    /// The kernel reports a failed write-back once and may then mark the pages as clean, so that a later sync succeeds although
    /// data is lost. A new start reads the actual content.
    func failure(_ code: Int32, operation: String) -> StorageError {
        var error = StorageError(lmdb: code, operation: operation)
        if code == EIO && isMediumFull() {
            // LMDB reports a short write as EIO, and a full disk causes one.
            error = StorageError(.diskFull, operation: operation, native: "short write, EIO (5)")
        }
        switch error.code {
        case .io, .corrupted, .permission, .format, .unavailable: refuseWrites(since: error)
        case .conflict, .badKey, .valueTooLong, .diskFull, .readersFull, .locked, .closed, .memory:
            break
        }
        return error
    }

    /// Returns the error of a failed call for the journal. After a failed sync, writes are refused whatever its `errno`, and the
    /// error is an I/O error.
    private func failure(_ error: SystemError, operation: String) -> StorageError {
        guard error.isOfSync else { return failure(error.code, operation: operation) }
        let failure = StorageError(systemError: error.code, operation: operation)
        refuseWrites(since: failure)
        return StorageError(.io, operation: operation, native: failure.native)
    }

    /// Runs a function that writes to the journal. Needs the write lock.
    func journaling<Result>(
        _ operation: String, _ body: () throws(SystemError) -> Result
    ) throws(StorageError) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw failure(error, operation: operation)
        }
    }

    /// Whether the data file cannot grow, and its medium has no other fault.
    ///
    /// This descriptor has not reported a write-back error yet, so it would report one now.
    private func isMediumFull() -> Bool {
        guard fdatasync(dataFile.number) == 0 else { return false }
        guard let end = try? dataFile.byteCount(operation: "size") else { return false }
        if shim_reserve_keeping_size(dataFile.number, end, 1 << 20) == 0 { return false }
        if errno == ENOSPC || errno == EDQUOT || errno == EFBIG { return true }
        return freeByteCount < 1 << 20
    }

    /// The free bytes on the data file's medium; zero if the number is unknown.
    var freeByteCount: Int {
        var medium = statvfs()
        guard fstatvfs(dataFile.number, &medium) == 0 else { return 0 }
        return Int(
            clamping: UInt(medium.f_bavail).multipliedReportingOverflow(
                by: UInt(medium.f_frsize)
            ).partialValue)
    }
}
