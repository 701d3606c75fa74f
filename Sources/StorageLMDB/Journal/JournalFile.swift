import CHoldfastLMDB
import Glibc
import HoldfastStorage
import HoldfastThreads

/// One of the two files of a ``Journal``: its mark, consecutive records, then unused bytes.
///
///     offset  bytes
///          0  8      `HFJRNAL3`
///          8  8      the mark: random, replaced when the records are no longer needed
///         16  8      the same with every bit inverted
///         24  …      records, see ``JournalRecord``
///
/// After the last record there are zeros, or records of an earlier use of the file with another mark. A file grows by many blocks
/// of zeros at a time: ``JournalBlocks`` writes a record that needs no new block, and the file system writes nothing of its own.
/// The remains contain bytes that clients store, so no client may know a mark.
///
/// In a file that begins with `HFJOURN2` a mark outlives the use of the file: there, a record is left over if it continues an
/// earlier transaction of the tree than the last one. Opening such a file converts it to the present form.
final class JournalFile: @unchecked Sendable {
    static let headerByteCount = 24
    /// The number of bytes of zeros after a record that needs new blocks.
    private static let growthByteCount = 256 << 10
    /// `HFJRNAL3` and `HFJOURN2`, as little-endian numbers.
    private static let magic: UInt64 = 0x334C_414E_524A_4648
    private static let formerMagic: UInt64 = 0x324E_5255_4F4A_4648

    // Unchecked: the variable state is used under the environment's write lock.
    private let descriptor: FileDescriptor
    /// The mark of every record of the file.
    private(set) var mark: UInt64 = 0
    /// Whether the file has the former form, in which a mark outlives a use of the file.
    private(set) var isPast = false
    /// The offset of the next record.
    private(set) var end = JournalFile.headerByteCount
    /// Whether the file was written to since the last sync.
    private var isDirty = false
    /// The offset up to which the file has blocks that were written.
    private var blockEnd = 0
    /// Writes to those blocks; nil if the file system cannot do it.
    private var blocks: JournalBlocks?

    /// Opens the file, and creates it if it is missing. A missing file that is only to be read has no records.
    init(_ name: String, in directory: Int32, isReadOnly: Bool) throws(StorageError) {
        let isMissing = isReadOnly && faccessat(directory, name, F_OK, 0) != 0
        descriptor = try FileDescriptor(
            isMissing ? "/dev/null" : name, in: directory,
            flags: isReadOnly ? O_RDONLY : O_RDWR | O_CREAT, operation: "open journal")
        guard !isReadOnly else { return }
        blocks = JournalBlocks(name, in: directory)
    }

    var recordByteCount: Int { end - Self.headerByteCount }

    /// The file's length in bytes; nil if it is unknown.
    var byteCount: Int? { try? descriptor.byteCount(operation: "journal size") }

    /// Reads the records and the bytes after them into `memory`. Returns no bytes if the file has only a header, or its creation
    /// was cut off.
    func contents(in memory: JournalMemory) throws(StorageError) -> UnsafeRawBufferPointer {
        let count = try descriptor.byteCount(operation: "open journal")
        guard let start = memory.reserve((count + 7) & ~7) else {
            throw StorageError(systemError: ENOMEM, operation: "open journal")
        }
        let got = try descriptor.read(
            into: UnsafeMutableRawBufferPointer(start: start, count: count),
            operation: "open journal")
        guard got > Self.headerByteCount else {
            return UnsafeRawBufferPointer(start: start, count: 0)
        }
        let words = (0..<3).map {
            start.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self).littleEndian
        }
        guard words[0] == Self.magic || words[0] == Self.formerMagic, words[1] == ~words[2] else {
            throw StorageError(
                .corrupted, operation: "open journal",
                native: "a journal file is damaged at its beginning, or not one of Holdfast; "
                    + Journal.adviceWithout)
        }
        mark = words[1]
        isPast = words[0] == Self.formerMagic
        return UnsafeRawBufferPointer(
            start: start + Self.headerByteCount, count: got - Self.headerByteCount)
    }

    /// Cuts the file after `recordByteCount` bytes of records, and waits until this is on the medium. Then the kept records are
    /// durable, and the others cannot come back. A file without records gets a new mark.
    ///
    /// - Throws: The file still has a header, and ``mark`` is the mark in it.
    func cut(after recordByteCount: Int) throws(SystemError) {
        if recordByteCount == 0 { try writeHeader(UInt64.random(in: 1 ... .max)) }
        let length = Self.headerByteCount + recordByteCount
        if ftruncate(descriptor.number, off_t(length)) != 0 { throw SystemError(code: errno) }
        blockEnd = JournalBlocks.blockStart(length)
        // No old records are left, so the mark may stay.
        if isPast { try writeHeader(mark) }
        isDirty = true
        try synchronize()
        end = length
    }

    /// Gives the file a new mark, which its records lack, and waits until it is on the medium. The records keep their room until
    /// others are written over them.
    func renew() throws(SystemError) {
        try writeHeader(UInt64.random(in: 1 ... .max))
        try synchronize()
        end = Self.headerByteCount
    }

    /// Writes the header before the records, all of it in one sector.
    private func writeHeader(_ mark: UInt64) throws(SystemError) {
        let header = (Self.magic.littleEndian, mark.littleEndian, (~mark).littleEndian)
        isDirty = true
        blocks?.forget()
        try descriptor.write(withUnsafeBytes(of: header) { Array($0) }, at: 0)
        self.mark = mark
        isPast = false
    }

    /// Writes a record after the last one. It counts after ``keep(_:)``.
    ///
    /// - `isSynced`: Whether to wait until the record is on the medium.
    /// - Throws: The `errno` of the failed call. Only if the error is one of a sync may the medium have the record.
    func write(_ record: UnsafeRawBufferPointer, isSynced: Bool) throws(SystemError) {
        let fitsBlocks =
            record.count <= JournalBlocks.recordByteCountMax && end + record.count <= blockEnd
        let triedBlocks = isSynced && fitsBlocks ? blocks : nil
        if let triedBlocks, try write(record, to: triedBlocks) { return }
        isDirty = true
        do throws(SystemError) {
            try descriptor.write(record, at: end)
        } catch {
            // The medium may still have a record that could not be written to blocks.
            let isUnknown = triedBlocks != nil && !(error.isOfFullMedium && isAbsent(record))
            throw SystemError(code: error.code, isOfSync: isUnknown)
        }
        guard isSynced else { return }
        if blocks != nil, end + record.count > blockEnd { grow(behind: end + record.count) }
        try synchronize()
    }

    /// Writes a record durably to blocks that the file has. Returns false if the file system cannot do it; then it is not tried
    /// again.
    private func write(
        _ record: UnsafeRawBufferPointer, to blocks: JournalBlocks
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try blocks.write(record, at: end, of: descriptor)
            return true
        } catch {
            switch error.code {
            case EINVAL, EOPNOTSUPP, ENOMEM, ENOSPC, EDQUOT:
                // Examples are a medium with longer blocks, or a file system that writes each block to a new place.
                self.blocks = nil
                return false
            default: throw error
            }
        }
    }

    /// Makes sure that a record that found no room is not at ``end``, on a medium that has reported no other error.
    ///
    /// - Returns: Whether the record certainly cannot be read later: a part of a record lacks its checksum.
    private func isAbsent(_ record: UnsafeRawBufferPointer) -> Bool {
        let found = UnsafeMutableRawBufferPointer.allocate(byteCount: record.count, alignment: 8)
        defer { found.deallocate() }
        let count = readAll(descriptor.number, into: found, at: end)
        guard count >= 0 else { return false }
        if count < record.count || !found.elementsEqual(record) { return true }
        do throws(SystemError) {
            isDirty = true
            try descriptor.write([UInt8](repeating: 0, count: 8), at: end)
            try synchronize()
            return true
        } catch { return false }
    }

    /// Writes zeros after a record that has made the file longer.
    private func grow(behind recordEnd: Int) {
        let start = max(recordEnd, byteCount ?? 0)
        let end = JournalBlocks.blockStart(
            start + Self.growthByteCount + JournalBlocks.blockByteCount - 1)
        // Without room for the zeros the next record finds its own room, or fails.
        let isLonger: Void? = try? descriptor.write(
            [UInt8](repeating: 0, count: end - start), at: start)
        if isLonger != nil { blockEnd = end }
    }

    /// Counts the record that was written.
    func keep(_ byteCount: Int) { end += byteCount }

    /// Waits until the written bytes are on the medium.
    func synchronize() throws(SystemError) {
        guard isDirty else { return }
        if fdatasync(descriptor.number) != 0 { throw SystemError(code: errno, isOfSync: true) }
        isDirty = false
    }

    /// Invalidates the record at ``end``, so that it is not read later. Its state on the medium is unknown.
    func withdraw() {
        // If this fails too, nothing more can be done: the error of the record itself is reported.
        try? descriptor.write([UInt8](repeating: 0, count: 8), at: end)
    }

    func truncate() throws(SystemError) {
        if ftruncate(descriptor.number, 0) != 0 { throw SystemError(code: errno) }
        blockEnd = 0
    }
}

/// Writes records to existing blocks of a journal file, past the page cache: a write is on the medium when it returns (`O_DIRECT`
/// and `O_DSYNC`, open(2)).
///
/// For a record in new blocks the file system writes a record of its own before it flushes the medium's cache, which is a third
/// wait. In existing blocks the page cache and its write-back remain. 8 KiB on ext4 took 260 µs in new blocks, 140 µs in old ones
/// by a write and a sync, and 110 µs in this way. If the medium can write through its cache, the flush is not needed either.
///
/// Used under the environment's write lock.
///
/// Benchmark row: `put-plain`.
final class JournalBlocks {
    /// The longest record: compared with writing a longer one, a second wait hardly matters.
    static let recordByteCountMax = 256 << 10
    /// The unit of offsets, lengths and addresses: no usual medium has longer sectors.
    static let blockByteCount = 4096

    private let descriptor: FileDescriptor
    /// The block in which the last record ends, and room for the next one.
    private let buffer: UnsafeMutableRawPointer
    /// The file offset up to which the content of the buffer's first block is known.
    private var knownEnd: Int?

    /// Opens a file once more; nil if the file system does not support such writes.
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

    /// Returns the last multiple of a block's length up to an offset.
    static func blockStart(_ offset: Int) -> Int { offset & ~(blockByteCount - 1) }

    /// Notes that the file was written in another way.
    func forget() { knownEnd = nil }

    /// Writes a record after others, and zeros up to the end of its last block, and returns when they are on the medium.
    ///
    /// - `file`: The same file, to read the bytes before the record in its block.
    /// - Throws: Then the content of the medium from `end` on is unknown.
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
            try descriptor.write(UnsafeRawBufferPointer(start: buffer, count: byteCount), at: start)
        } catch { throw SystemError(code: error.code, isOfSync: true) }
        let lastStart = Self.blockStart(usedCount)
        memmove(buffer, buffer + lastStart, usedCount - lastStart)
        knownEnd = end + record.count
    }
}
