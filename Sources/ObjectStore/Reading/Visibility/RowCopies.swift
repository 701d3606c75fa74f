import HoldfastRows

/// Copies of rows for a view, which stay where they are until they are given back. One thread at a time uses it.
final class RowCopies {
    /// How much there was at a moment.
    struct Mark: Equatable {
        fileprivate var chunkCount = 0
        fileprivate var used = 0
    }

    private static let chunkByteCount = 1 << 14
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    /// The bytes used of the last chunk.
    private var used = 0
    /// The memory that they take.
    private(set) var byteCount = 0

    deinit { for chunk in chunks { chunk.deallocate() } }

    /// Keeps a copy of the bytes of a row.
    func add(_ bytes: UnsafeRawBufferPointer) -> RowView? {
        if (chunks.last?.count ?? 0) - used < bytes.count {
            let count = max(Self.chunkByteCount, bytes.count)
            chunks.append(.allocate(byteCount: count, alignment: 8))
            byteCount += count
            used = 0
        }
        guard let chunk = chunks.last else { return nil }
        let copy = UnsafeMutableRawBufferPointer(rebasing: chunk[used..<(used + bytes.count)])
        copy.copyMemory(from: bytes)
        used += bytes.count
        return RowView(UnsafeRawBufferPointer(copy))
    }

    /// The present amount.
    var mark: Mark { Mark(chunkCount: chunks.count, used: used) }

    /// Releases the copies that were added since a moment. Rows among them must not be read any more.
    func release(to mark: Mark) {
        // The first chunk behind it stays, for the next row.
        while chunks.count > max(mark.chunkCount, 1), let last = chunks.last {
            byteCount -= last.count
            last.deallocate()
            chunks.removeLast()
        }
        used = chunks.count == mark.chunkCount ? mark.used : 0
    }
}

/// The rows that evaluations on a view have found last by their keys, so that an object that a rule reads and a shown link leads
/// to is looked up once. One thread at a time uses it.
///
/// Benchmark row: `user-lists`.
final class RecentRows {
    private struct Entry {
        var classIndex = -1
        var key: UInt64 = 0
        var row: RowView?
    }

    /// The links of a page, and the objects that its plan was tried with: a row replaces another one whose key ends alike.
    private static let count = 64

    /// Made when the first row is asked for.
    private var entries: [Entry] = []

    /// Returns the row of an object, which `find` finds where it is not among them.
    func row(
        classIndex: Int, key: UInt64, _ find: () throws(StoreError) -> RowView?
    ) throws(StoreError) -> RowView? {
        if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.count) }
        let index = Int(truncatingIfNeeded: key) & (Self.count - 1)
        if entries[index].key == key, entries[index].classIndex == classIndex {
            return entries[index].row
        }
        let row = try find()
        entries[index] = Entry(classIndex: classIndex, key: key, row: row)
        return row
    }
}
