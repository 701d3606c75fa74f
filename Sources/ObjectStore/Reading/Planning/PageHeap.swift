import HoldfastQuery
import HoldfastRows

/// The first objects of an order, within a limit of memory.
///
/// Benchmark row: `page`.
struct PageHeap {
    private var heap: BoundedHeap<SortEntry>
    /// Memory that the entries take.
    private(set) var byteCount = 0
    private let byteCountMax: Int

    init(countMax: Int, byteCountMax: Int) {
        heap = BoundedHeap(countMax: countMax)
        self.byteCountMax = byteCountMax
    }

    /// Whether only objects are taken that come before another one.
    var isFull: Bool { heap.isFull }

    /// The greatest rank of an object that it may still take; ``UInt128/max`` as long as it has room.
    var lastRank: UInt128 { heap.isFull ? heap.worst.rank : .max }

    /// Takes an object if it is among the first.
    ///
    /// - Returns: False when the entries need more memory than allowed.
    mutating func insert(
        _ sortBytes: UnsafeRawBufferPointer, _ key: UInt64, _ row: RowView? = nil,
        by order: ObjectOrder
    ) -> Bool {
        if SortEntry.rank(of: sortBytes) > lastRank { return true }
        return insert(SortEntry(sortBytes, key: key, row: row), by: order)
    }

    /// Takes an object if it is among the first.
    ///
    /// - Returns: False when the entries need more memory than allowed.
    mutating func insert(_ entry: SortEntry, by order: ObjectOrder) -> Bool {
        let (isTaken, evicted) = heap.insert(entry) { order.isBefore($0, $1) }
        if isTaken { byteCount += entry.byteCount - (evicted?.byteCount ?? 0) }
        return byteCount <= byteCountMax
    }

    func sorted(by order: ObjectOrder) throws(StoreError) -> [SortEntry] {
        guard let sorted = heap.sorted(within: order.budget, order.isBefore) else {
            throw .stopped(order.budget.failure ?? .time)
        }
        return sorted
    }

    func sortedKeys(by order: ObjectOrder) throws(StoreError) -> [UInt64] {
        try sorted(by: order).map(\.key)
    }
}
