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

    /// Takes an object if it is among the first.
    ///
    /// - Returns: False when the entries need more memory than allowed.
    mutating func insert(
        _ sortBytes: UnsafeRawBufferPointer, _ key: UInt64, _ row: RowView, by order: ObjectOrder
    ) -> Bool {
        if let worst = heap.worst, !order.isBefore(sortBytes, key, row, worst) { return true }
        let entry = Entry(sortBytes: sortBytes, key: key, row: row)
        let (isTaken, evicted) = heap.insert(entry, isBefore: order.isBefore)
        if isTaken { byteCount += entry.byteCount - (evicted?.byteCount ?? 0) }
        return byteCount <= byteCountMax
    }

    /// The entries in order.
    func sorted(by order: ObjectOrder) -> [Entry] { heap.sorted(order.isBefore) }
}
