import CHoldfastLMDB
import Glibc
import HoldfastStorage
import HoldfastThreads

/// Writes records to blocks that a journal file has already, past the page cache: a write is on the medium when
/// it returns (`O_DIRECT` and `O_DSYNC`, open(2)).
///
/// A record in new blocks makes the file system write a record of its own before the medium's cache is flushed, a third
/// wait; in blocks that are there, the page cache and its write-back remain. 8 KiB on ext4 took 260 µs in new
/// blocks, 140 in old ones by a write and a sync, and 110 so; where the medium can write through its cache, the
/// flush goes as well.
///
/// Used under the environment's write lock.
final class JournalBlocks {
    /// The longest record: beside the writing of longer ones a second wait counts for little.
    static let recordByteCountMax = 256 << 10
    /// The unit of offsets, lengths and addresses: no usual medium has longer sectors.
    static let blockByteCount = 4096

    private let descriptor: FileDescriptor
    /// The block in which the last record ends, and room for the next one.
    private let buffer: UnsafeMutableRawPointer
    /// The offset of the file that the buffer's first block is known up to.
    private var knownEnd: Int?

    /// Opens a file once more; nil where the file system has no such writes.
    init?(_ name: String, in directory: Int32) {
        guard
            let descriptor = try? FileDescriptor(
                name, in: directory, flags: O_WRONLY | O_DSYNC | shim_direct,
                operation: "open journal")
        else { return nil }
        self.descriptor = descriptor
        buffer = .allocate(
            byteCount: Self.recordByteCountMax + Self.blockByteCount,
            alignment: Self.blockByteCount)
    }

    deinit { buffer.deallocate() }

    /// The last multiple of a block's length up to an offset.
    static func blockStart(_ offset: Int) -> Int { offset & ~(blockByteCount - 1) }

    /// Says that the file was written in another way.
    func forget() { knownEnd = nil }

    /// Writes a record at the end of others, and zeros up to the end of its last block, and returns when they are on the
    /// medium.
    ///
    /// - `file`: The same file, to read what precedes the record in its block.
    /// - Throws: What is on the medium from `end` on is unknown then.
    func write(
        _ record: UnsafeRawBufferPointer, at end: Int, of file: borrowing FileDescriptor
    ) throws(SystemError) {
        let start = Self.blockStart(end)
        let precedingCount = end - start
        if knownEnd != end {
            let preceding = UnsafeMutableRawBufferPointer(start: buffer, count: precedingCount)
            guard readAll(file.number, into: preceding, at: start) == precedingCount else {
                throw SystemError(code: EIO, isOfSync: true)
            }
        }
        knownEnd = nil
        UnsafeMutableRawBufferPointer(start: buffer + precedingCount, count: record.count)
            .copyMemory(from: record)
        let usedCount = precedingCount + record.count
        let byteCount = Self.blockStart(usedCount + Self.blockByteCount - 1)
        UnsafeMutableRawBufferPointer(start: buffer + usedCount, count: byteCount - usedCount)
            .initializeMemory(as: UInt8.self, repeating: 0)
        do throws(SystemError) {
            try descriptor.write(
                UnsafeRawBufferPointer(start: buffer, count: byteCount), at: start)
        } catch {
            throw SystemError(code: error.code, isOfSync: true)
        }
        let lastStart = Self.blockStart(usedCount)
        memmove(buffer, buffer + lastStart, usedCount - lastStart)
        knownEnd = end + record.count
    }
}
