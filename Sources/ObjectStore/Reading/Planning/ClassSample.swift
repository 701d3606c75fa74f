import HoldfastBytes
import HoldfastRows

/// Some rows of a class, spread over its object keys, to find out by how much a condition narrows it down.
///
/// Immutable; any thread may read it. Its rows are those of one schema and of commits of a moment: objects
/// that they link to are read in the caller's view.
final class ClassSample: @unchecked Sendable {
    // Unchecked: nobody changes the copies after `init`.

    /// A row of the sample.
    struct Entry {
        let key: UInt64
        /// The offset of its copy; −1 for a row that is too large for one, or holds values that are not in it.
        let offset: Int
    }

    /// The most rows of a sample.
    static let rowCountMax = 1024
    /// The most bytes of a row's copy.
    static let rowByteCountMax = 4096

    /// The class, as of the schema that the rows are read with.
    let rowClass: RowClass
    /// The number of objects of the class then.
    let objectCount: Int
    /// The commit that the last of the rows are from.
    let commit: UInt64
    /// When it was taken, in milliseconds of the monotonic clock.
    let milliseconds: UInt64
    /// The rows in no order, so that the first ones are a sample too.
    let entries: [Entry]
    private let copies: ByteBuffer

    init(
        _ rowClass: RowClass, objectCount: Int, commit: UInt64, milliseconds: UInt64,
        entries: [Entry], copies: ByteBuffer
    ) {
        self.rowClass = rowClass
        self.objectCount = objectCount
        self.commit = commit
        self.milliseconds = milliseconds
        self.entries = entries.sorted { Self.scattered($0.key) < Self.scattered($1.key) }
        self.copies = copies
        copies.trim()
    }

    /// Returns a number that says nothing of the key's position among others, the same each time.
    static func scattered(_ key: UInt64) -> UInt64 {
        var mixed = key &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ (mixed >> 32)
    }

    /// Returns a row as it is stored: its copy, or what the store has in its place now; nil where that is gone.
    func row(_ entry: Entry, in transaction: ReadTransaction) throws(StoreError) -> RowView? {
        guard entry.offset >= 0 else {
            return try transaction.unrestricted.find(rowClass, key: entry.key)
        }
        let start = UnsafeRawPointer(copies.base) + entry.offset
        let byteCount = Int(start.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        return RowView(UnsafeRawBufferPointer(start: start, count: byteCount))
    }
}
