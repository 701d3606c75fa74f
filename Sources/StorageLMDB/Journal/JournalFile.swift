import Glibc
import Storage

/// One of the two files of a ``Journal``: records one after the other, then anything.
///
/// What follows the last record is what an earlier use of the file left: it continues an earlier
/// transaction of the tree, and is told by that. A file that is used again needs no new blocks, so
/// a sync writes the records and nothing else.
final class JournalFile: @unchecked Sendable {
    // Unchecked: `end` is used under the environment's write lock.
    private let descriptor: FileDescriptor
    /// Where the next record goes.
    var end = 0

    /// Opens the file, and makes it when there is none.
    init(_ name: String, in directory: Int32, mode: UInt32) throws(StorageError) {
        descriptor = try FileDescriptor(
            name, in: directory, flags: O_RDWR | O_CREAT, mode: mode, operation: "open journal")
    }

    /// The file's length; zero where it can't be told.
    var byteCount: Int {
        var status = stat()
        return fstat(descriptor.number, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The whole file, in `memory`.
    func contents(in memory: JournalMemory) throws(StorageError) -> UnsafeRawBufferPointer {
        let count = byteCount
        guard let start = memory.reserve((count + 7) & ~7) else {
            throw StorageError(systemError: ENOMEM, operation: "open journal")
        }
        let got = try descriptor.read(
            into: UnsafeMutableRawBufferPointer(start: start, count: count),
            operation: "open journal")
        return UnsafeRawBufferPointer(start: start, count: got)
    }

    /// Writes a record behind the last one.
    ///
    /// - Throws: The `errno` of the failed call; nothing counts as written then.
    func write(_ record: UnsafeRawBufferPointer) throws(SystemError) {
        try descriptor.write(record, at: end)
    }

    /// Waits until what was written is on the medium.
    func synchronize() throws(SystemError) {
        if fdatasync(descriptor.number) != 0 { throw SystemError(code: errno) }
    }

    /// Takes back the record at ``end``, of which nobody may be sure: it must not be read back.
    func withdraw() {
        let zeros: UInt64 = 0
        withUnsafeBytes(of: zeros) { bytes in
            // Nothing more can be done when this fails too: the error of the record itself is told.
            try? descriptor.write(bytes, at: end)
        }
    }

    /// Makes the file empty.
    func truncate() throws(SystemError) {
        if ftruncate(descriptor.number, 0) != 0 { throw SystemError(code: errno) }
        end = 0
    }
}
