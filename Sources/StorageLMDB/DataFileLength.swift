import Storage

/// The comparison of a data file's length with the pages that it should have, before LMDB maps it: whoever reads
/// a mapped page beyond the end of its file is ended by the system (SIGBUS).
///
/// LMDB doesn't write a page that its transaction has freed again, so that a sound file may end before its last
/// page: then the pages that it lacks are all in the list of free ones. That list is read here, where the file is
/// shorter; without LMDB, because the list's own pages may be missing.
///
/// Source: LMDB 0.9.24, mdb.c (`MDB_page`, `MDB_node`, `mdb_page_flush`), on a little-endian machine of 64 bits.
struct DataFileLength: ~Copyable {
    private static let pageHeaderByteCount = 16

    /// Damage that the list of free pages itself shows.
    private struct Damage: Error {}

    private let file: FileDescriptor
    private let pageByteCount: Int
    /// The pages that the file lacks.
    private let missing: Range<UInt64>
    private var freed: Set<UInt64> = []

    private init(_ file: consuming FileDescriptor, pageByteCount: Int, missing: Range<UInt64>) {
        self.file = file
        self.pageByteCount = pageByteCount
        self.missing = missing
    }

    /// Refuses a data file that lacks pages which its newest meta page counts on.
    ///
    /// Cost: where pages are missing, a read for each page of the list of free ones.
    /// - `path`: The file's, for the message.
    static func check(
        _ file: consuming FileDescriptor, _ meta: DataFileMeta, path: String
    ) throws(StorageError) {
        let byteCount = try file.byteCount(operation: "open store")
        let pageByteCount = meta.pageByteCount
        let wanted = (Int(meta.lastPage) + 1) * pageByteCount
        guard byteCount < wanted else { return }
        var length = DataFileLength(
            file, pageByteCount: pageByteCount,
            missing: UInt64(byteCount / pageByteCount)..<meta.lastPage + 1)
        do {
            if meta.free.depth > 0 { try length.addFree(meta.free.root, depth: meta.free.depth) }
        } catch {
            throw DataFileMeta.cut(path, byteCount, wanted)
        }
        guard length.freed.count == length.missing.count else {
            throw DataFileMeta.cut(path, byteCount, wanted)
        }
    }

    // MARK: The list of free pages

    /// Takes in the free pages that a page of the list and those below it name.
    private mutating func addFree(_ number: UInt64, depth: Int) throws {
        let page = try pages(number, count: 1)
        let isLeaf = Self.half(page, 10) & 2 != 0
        guard isLeaf == (depth == 1), depth <= 32 else { throw Damage() }
        let end = Int(Self.half(page, 12))
        guard end >= Self.pageHeaderByteCount, end <= page.count else { throw Damage() }
        for offset in stride(from: Self.pageHeaderByteCount, to: end, by: 2) {
            let node = Int(Self.half(page, offset))
            guard node >= end, node + 16 <= page.count else { throw Damage() }
            let low = UInt64(Self.half(page, node)) | UInt64(Self.half(page, node + 2)) << 16
            let flags = Self.half(page, node + 4)
            if isLeaf {
                let data = node + 8 + Int(Self.half(page, node + 6))
                try addFree(page, data, byteCount: Int(low), isElsewhere: flags & 1 != 0)
            } else {
                try addFree(low | UInt64(flags) << 32, depth: depth - 1)
            }
        }
    }

    /// Takes in the pages of one entry: their count, then their numbers.
    private mutating func addFree(
        _ page: [UInt8], _ data: Int, byteCount: Int, isElsewhere: Bool
    ) throws {
        var entry = page
        var start = data
        guard data + 8 <= page.count else { throw Damage() }
        if isElsewhere {
            // So long a value has pages of its own.
            let count = (Self.pageHeaderByteCount + byteCount - 1) / pageByteCount + 1
            entry = try pages(Self.number(page, data), count: count)
            start = Self.pageHeaderByteCount
        }
        guard byteCount % 8 == 0, byteCount >= 8, start + byteCount <= entry.count else {
            throw Damage()
        }
        for offset in stride(from: start + 8, to: start + byteCount, by: 8) {
            let number = Self.number(entry, offset)
            if missing.contains(number) { freed.insert(number) }
        }
    }

    private func pages(_ first: UInt64, count: Int) throws -> [UInt8] {
        guard first < missing.lowerBound, count <= Int(missing.lowerBound - first) else {
            throw Damage()
        }
        let bytes = try file.contents(
            byteCountMax: count * pageByteCount, at: Int(first) * pageByteCount,
            operation: "open store")
        guard bytes.count == count * pageByteCount else { throw Damage() }
        return bytes
    }

    // MARK: Bytes

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    private static func half(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
        bytes.withUnsafeBytes {
            UInt16(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        }
    }
}
