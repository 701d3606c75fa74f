import Query
import Rows

/// The first objects of an order by their sort values, within a limit of memory.
struct PageHeap {
    /// One object with its sort values.
    struct Entry {
        private let owned: [UInt8]
        let key: UInt64
        let row: RowView

        init(sortBytes: UnsafeRawBufferPointer, key: UInt64, row: RowView) {
            owned = Array(sortBytes)
            self.key = key
            self.row = row
        }

        func withSortBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            owned.withUnsafeBytes(body)
        }

        var byteCount: Int { owned.count + 64 }

        /// Whether a value in the sort bytes may have been cut, so that rows decide.
        var mayBeCut: Bool { owned.count > OrderedKey.textByteCountMax }
    }

    private var heap: BoundedHeap<Entry>
    /// Memory that the entries take.
    private(set) var byteCount = 0
    private let byteCountMax: Int

    init(countMax: Int, byteCountMax: Int) {
        heap = BoundedHeap(countMax: countMax)
        self.byteCountMax = byteCountMax
    }

    /// The last of the entries when there is no room for more: only what comes before it is taken.
    var worst: Entry? { heap.worst }

    /// Takes an entry if it is among the first.
    ///
    /// - Returns: False when the entries need more memory than allowed.
    mutating func insert(_ entry: Entry, isBefore: (Entry, Entry) -> Bool) -> Bool {
        let (isTaken, evicted) = heap.insert(entry, isBefore: isBefore)
        if isTaken { byteCount += entry.byteCount - (evicted?.byteCount ?? 0) }
        return byteCount <= byteCountMax
    }

    /// The entries in order.
    func sorted(_ isBefore: (Entry, Entry) -> Bool) -> [Entry] { heap.sorted(isBefore) }
}
