import Glibc
import Storage

/// An open file or directory, closed with its owner.
struct FileDescriptor: ~Copyable, Sendable {
    /// The descriptor's number.
    let number: Int32

    /// Opens `name` inside `directory`, or relative to the working directory; never across `exec`.
    init(
        _ name: String, in directory: Int32 = AT_FDCWD, flags: Int32, mode: UInt32 = 0,
        operation: String
    ) throws(StorageError) {
        number = openat(directory, name, flags | O_CLOEXEC, mode)
        if number < 0 {
            throw StorageError(systemError: errno, operation: operation, detail: name)
        }
    }

    deinit { _ = Glibc.close(number) }

    /// Waits until the file, or the directory's list of names, is on the medium.
    func synchronize(operation: String) throws(StorageError) {
        if fsync(number) != 0 {
            throw StorageError(systemError: errno, operation: operation, detail: "fsync")
        }
    }

    /// Up to `byteCountMax` bytes from the start of the file.
    func contents(byteCountMax: Int, operation: String) throws(StorageError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCountMax) { buffer, count in
            while count < byteCountMax {
                let got = pread(
                    number, buffer.baseAddress.map { $0 + count }, byteCountMax - count,
                    off_t(count))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                count += got
            }
        }
        if failure != 0 { throw StorageError(systemError: failure, operation: operation) }
        return bytes
    }

    /// Replaces the file's contents; the caller synchronizes.
    func replaceContents(_ bytes: [UInt8], operation: String) throws(StorageError) {
        guard ftruncate(number, 0) == 0 else {
            throw StorageError(systemError: errno, operation: operation)
        }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(
                    number, $0.baseAddress.map { $0 + written }, bytes.count - written,
                    off_t(written))
            }
            if count < 0 && errno == EINTR { continue }
            if count <= 0 {
                throw StorageError(systemError: count < 0 ? errno : ENOSPC, operation: operation)
            }
            written += count
        }
    }
}
