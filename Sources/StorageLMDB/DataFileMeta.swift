import HoldfastStorage

/// The newest meta page of a data file. LMDB relies on it without checking it.
///
/// Source: LMDB 0.9.24, mdb.c (`MDB_meta`, `MDB_db`, `mdb_env_read_header`), on a little-endian machine of 64 bits.
struct DataFileMeta {
    /// One of the two trees of a file.
    struct Tree {
        /// The number of levels; 0 for an empty tree.
        let depth: Int
        /// The page at the top of the tree.
        let root: UInt64
    }

    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let byteCount = 152
    /// A number above every real transaction, within the range of LMDB's signed numbers.
    private static let transactionMax: UInt64 = 1 << 56
    private enum Offset {
        static let magic = 16
        static let pageByteCount = 40
        static let freeTree = 40
        static let mainTree = 88
        /// Offsets within the record of a tree.
        static let depth = 6
        static let root = 40
        static let lastPage = 136
        static let transaction = 144
    }

    /// The size of a page in bytes.
    let pageByteCount: Int
    /// The last page that is used.
    let lastPage: UInt64
    /// The list of free pages.
    let free: Tree
    /// The entries.
    let main: Tree

    /// Reads both meta pages, and returns the newest. Nil if the file does not begin with a meta page; LMDB refuses such a file.
    /// Cost: two reads.
    ///
    /// - `path`: The file's path, for the message.
    static func read(
        _ file: borrowing FileDescriptor, path: String
    ) throws(StorageError) -> DataFileMeta? {
        let byteCount = try file.byteCount(operation: "open store")
        let first = try file.contents(byteCountMax: Self.byteCount, operation: "open store")
        guard first.count == Self.byteCount else { throw cut(path, byteCount, nil) }
        guard UInt32(truncatingIfNeeded: number(first, Offset.magic)) == magic else { return nil }
        let pageByteCount = Int(UInt32(truncatingIfNeeded: number(first, Offset.pageByteCount)))
        guard pageByteCount >= 512, pageByteCount <= 1 << 16, pageByteCount.nonzeroBitCount == 1
        else { throw damaged("\(path) names pages of \(pageByteCount) bytes") }
        let second = try file.contents(
            byteCountMax: Self.byteCount, at: pageByteCount, operation: "open store")
        guard second.count == Self.byteCount else { throw cut(path, byteCount, 2 * pageByteCount) }
        // LMDB maps the file with the page size of the newest meta page.
        let other = UInt32(truncatingIfNeeded: number(second, Offset.pageByteCount))
        guard other == pageByteCount else {
            throw damaged("\(path) names pages of \(pageByteCount) and of \(other) bytes")
        }
        let transactions = (number(first, Offset.transaction), number(second, Offset.transaction))
        guard max(transactions.0, transactions.1) <= transactionMax else {
            throw damaged("\(path) names a transaction that can't exist")
        }
        let meta = DataFileMeta(
            transactions.0 >= transactions.1 ? first : second, pageByteCount: pageByteCount)
        guard meta.lastPage < UInt64(Int.max / pageByteCount) else {
            throw damaged("\(path) names \(meta.lastPage) as its last page")
        }
        // Pages that a sound file lacks are in its list of free pages, at eight bytes each.
        guard meta.lastPage < UInt64(byteCount / pageByteCount + byteCount / 8) else {
            throw cut(path, byteCount, (Int(meta.lastPage) + 1) * pageByteCount)
        }
        return meta
    }

    private init(_ bytes: [UInt8], pageByteCount: Int) {
        func tree(_ offset: Int) -> Tree {
            Tree(
                depth: Int(Self.number(bytes, offset + Offset.depth) & 0xFFFF),
                root: Self.number(bytes, offset + Offset.root))
        }
        self.pageByteCount = pageByteCount
        lastPage = Self.number(bytes, Offset.lastPage)
        free = tree(Offset.freeTree)
        main = tree(Offset.mainTree)
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    // MARK: Errors

    /// The refusal of a file that is too short.
    static func cut(_ path: String, _ byteCount: Int, _ wanted: Int?) -> StorageError {
        let wanted = wanted.map { "of at least \($0)" } ?? "and no whole page"
        return damaged("\(path) was cut short: it has \(byteCount) bytes \(wanted)")
    }

    private static func damaged(_ native: String) -> StorageError {
        StorageError(.corrupted, operation: "open store", native: native)
    }
}
