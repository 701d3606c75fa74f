import Glibc
import HoldfastStorage
import HoldfastThreads

/// An open file or directory, closed with its owner.
struct FileDescriptor: ~Copyable, Sendable {
    let number: Int32

    /// Opens `name` inside `directory`, or relative to the working directory; never across `exec`.
    init(
        _ name: String, in directory: Int32 = AT_FDCWD, flags: Int32, operation: String
    ) throws(StorageError) {
        number = openat(directory, name, flags | O_CLOEXEC, LMDBDirectory.fileMode)
        if number < 0 { throw StorageError(systemError: errno, operation: operation, detail: name) }
    }

    deinit { _ = Glibc.close(number) }

    /// The file's length.
    func byteCount(operation: String) throws(StorageError) -> Int {
        var status = stat()
        if fstat(number, &status) != 0 {
            throw StorageError(systemError: errno, operation: operation)
        }
        return Int(status.st_size)
    }

    /// Waits until the file, or the directory's list of names, is on the medium.
    func synchronize(operation: String) throws(StorageError) {
        if fsync(number) != 0 {
            throw StorageError(systemError: errno, operation: operation, detail: "fsync")
        }
    }

    /// Returns up to `byteCountMax` bytes of the file from an offset on.
    func contents(
        byteCountMax: Int, at offset: Int = 0, operation: String
    ) throws(StorageError) -> [UInt8] {
        var failure: StorageError?
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCountMax) { buffer, count in
            do throws(StorageError) {
                count = try read(
                    into: UnsafeMutableRawBufferPointer(buffer), at: offset, operation: operation)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Fills `buffer` from an offset of the file on, and returns the number of bytes read.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int = 0, operation: String
    ) throws(StorageError) -> Int {
        let count = readAll(number, into: buffer, at: offset)
        if count < 0 { throw StorageError(systemError: errno, operation: operation) }
        return count
    }

    /// Writes all of `bytes` at an offset; the caller synchronizes.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        let failure = writeAll(bytes, to: number, at: offset)
        if failure != 0 { throw SystemError(code: failure) }
    }

    /// Writes all of `bytes` at an offset; the caller synchronizes.
    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        let failure = bytes.withUnsafeBytes { writeAll($0, to: number, at: offset) }
        if failure != 0 { throw SystemError(code: failure) }
    }

    /// Replaces the file's contents; the caller synchronizes.
    func replaceContents(_ bytes: [UInt8], operation: String) throws(StorageError) {
        guard ftruncate(number, 0) == 0 else {
            throw StorageError(systemError: errno, operation: operation)
        }
        do throws(SystemError) {
            try write(bytes, at: 0)
        } catch {
            throw StorageError(systemError: error.code, operation: operation)
        }
    }
}
