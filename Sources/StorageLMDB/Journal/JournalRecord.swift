import CHoldfastZlib
import HoldfastStorage

/// A commit in the form that it has in a journal file, and in memory until the tree contains it.
///
/// Numbers are little-endian; a record begins at a multiple of 8.
///
///     offset  bytes
///          0  8      the file's mark, see ``JournalFile``
///          8  4      CRC-32 (RFC 1952) of everything that follows in the record
///         12  4      flags; 1: written without a sync
///         16  8      a transaction of the tree, see ``Journal``
///         24  8      the commit's number, one more than that of the record before
///         32  8      the number of changes
///         40  8      the record's length, header and padding included
///         48  …      the changes, sorted by key
///                        4   the value's length; 0xFFFFFFFF for a removal
///                        2   the key's length
///                        …   the key, then the value
///          …  0–7    zeros up to a multiple of 8
struct JournalRecord {
    static let headerByteCount = 48
    /// The length that marks a removal.
    static let removal = UInt32.max
    /// The longest key that LMDB takes.
    static let keyByteCountMax = 511
    /// The bytes before a change's key.
    static let changeHeaderByteCount = 6
    /// The bytes that the checksum leaves out.
    private static let uncheckedByteCount = 12

    /// The header before the changes.
    struct Header: Equatable {
        var mark: UInt64
        var tree: UInt64
        var commit: UInt64
        var changeCount: Int
        var isSynced: Bool
        var byteCount: Int
    }

    /// Returns the number of bytes that `batch` takes as a record.
    static func byteCount(of batch: StorageBatch) -> Int {
        var count = headerByteCount
        for change in batch.changes {
            count += changeHeaderByteCount + change.key.count + (change.value?.count ?? 0)
        }
        return (count + 7) & ~7
    }

    /// Writes a record to `start`; `header` has its length.
    static func write(_ batch: StorageBatch, _ header: Header, to start: UnsafeMutableRawPointer) {
        store(header.mark, start, 0)
        store(header.isSynced ? 0 : 1 as UInt32, start, 12)
        store(header.tree, start, 16)
        store(header.commit, start, 24)
        store(UInt64(header.changeCount), start, 32)
        store(UInt64(header.byteCount), start, 40)
        var next = start + headerByteCount
        for change in batch.changes {
            let value = change.value
            store(value.map { UInt32($0.count) } ?? removal, next, 0)
            store(UInt16(change.key.count), next, 4)
            let key = next + changeHeaderByteCount
            if let bytes = change.key.baseAddress {
                key.copyMemory(from: bytes, byteCount: change.key.count)
            }
            next = key + change.key.count
            if let value, let bytes = value.baseAddress {
                next.copyMemory(from: bytes, byteCount: value.count)
                next += value.count
            }
        }
        let end = start + header.byteCount
        while next < end {
            next.storeBytes(of: 0, as: UInt8.self)
            next += 1
        }
        store(checksum(UnsafeRawPointer(start), header.byteCount), start, 8)
    }

    /// Returns the header of a complete and undamaged record at the start of `bytes`; nil if there is no such record, or it is
    /// from an earlier use of the file.
    ///
    /// - `mark`: The file's mark.
    /// - `tree`: The first transaction of the tree that a record in use may name.
    static func header(
        of bytes: UnsafeRawBufferPointer, mark: UInt64, since tree: UInt64
    ) -> Header? {
        guard bytes.count >= headerByteCount, let start = bytes.baseAddress,
            load(UInt64.self, start, 0) == mark, load(UInt64.self, start, 16) >= tree,
            let byteCount = Int(exactly: load(UInt64.self, start, 40)),
            byteCount >= headerByteCount, byteCount <= bytes.count, byteCount % 8 == 0,
            let changeCount = Int(exactly: load(UInt64.self, start, 32)),
            changeCount <= (byteCount - headerByteCount) / (changeHeaderByteCount + 1),
            load(UInt32.self, start, 8) == checksum(start, byteCount)
        else { return nil }
        let commit = load(UInt64.self, start, 24)
        guard commit > 0, commit < 1 << 62 else { return nil }
        return Header(
            mark: mark, tree: load(UInt64.self, start, 16), commit: commit,
            changeCount: changeCount, isSynced: load(UInt32.self, start, 12) & 1 == 0,
            byteCount: byteCount)
    }

    /// Calls `body` with the key of each change of a complete record.
    ///
    /// - Returns: Whether the changes fill the record as its header says.
    static func readChanges(
        of record: UnsafeRawBufferPointer, _ header: Header,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        guard let start = record.baseAddress else { return false }
        var offset = headerByteCount
        for _ in 0..<header.changeCount {
            guard offset + changeHeaderByteCount <= header.byteCount else { return false }
            let valueCount = load(UInt32.self, start, offset)
            let keyCount = Int(load(UInt16.self, start, offset + 4))
            let key = offset + changeHeaderByteCount
            offset = key + keyCount + (valueCount == removal ? 0 : Int(valueCount))
            guard keyCount > 0, keyCount <= keyByteCountMax, offset <= header.byteCount else {
                return false
            }
            body(UnsafeRawBufferPointer(start: start + key, count: keyCount))
        }
        return (offset + 7) & ~7 == header.byteCount
    }

    /// Returns the value of the change with the key at `key`; nil for a removal.
    @inline(__always)
    static func value(ofKey key: UnsafeRawPointer, count: Int) -> UnsafeRawBufferPointer? {
        let valueCount = load(UInt32.self, key, -changeHeaderByteCount)
        if valueCount == removal { return nil }
        return UnsafeRawBufferPointer(start: key + count, count: Int(valueCount))
    }

    private static func checksum(_ start: UnsafeRawPointer, _ byteCount: Int) -> UInt32 {
        UInt32(
            truncatingIfNeeded: crc32_z(
                0, (start + uncheckedByteCount).assumingMemoryBound(to: UInt8.self),
                byteCount - uncheckedByteCount))
    }

    @inline(__always)
    private static func store<Number: FixedWidthInteger>(
        _ number: Number, _ start: UnsafeMutableRawPointer, _ offset: Int
    ) {
        start.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }

    @inline(__always)
    private static func load<Number: FixedWidthInteger>(
        _ type: Number.Type, _ start: UnsafeRawPointer, _ offset: Int
    ) -> Number {
        Number(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: type))
    }
}
