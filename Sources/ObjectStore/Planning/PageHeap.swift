import Rows

/// The first entries of an order, kept while more are seen: a bounded binary heap whose root is the last
/// of them.
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

    private var entries: [Entry] = []
    /// Memory that the entries take.
    private(set) var byteCount = 0
    private let countMax: Int
    private let byteCountMax: Int

    init(countMax: Int, byteCountMax: Int) {
        self.countMax = countMax
        self.byteCountMax = byteCountMax
    }

    /// The last of the entries when there is no room for more: only what comes before it is taken.
    var worst: Entry? { entries.count == countMax ? entries.first : nil }

    /// Takes an entry if it is among the first.
    ///
    /// - Returns: False when the entries need more memory than allowed.
    mutating func insert(_ entry: Entry, isBefore: (Entry, Entry) -> Bool) -> Bool {
        if entries.count == countMax {
            guard isBefore(entry, entries[0]) else { return true }
            byteCount += entry.byteCount - entries[0].byteCount
            entries[0] = entry
            siftDown(isBefore)
        } else {
            byteCount += entry.byteCount
            entries.append(entry)
            siftUp(isBefore)
        }
        return byteCount <= byteCountMax
    }

    private mutating func siftUp(_ isBefore: (Entry, Entry) -> Bool) {
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(entries[parent], entries[child]) else { return }
            entries.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown(_ isBefore: (Entry, Entry) -> Bool) {
        var parent = 0
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && isBefore(entries[last], entries[child]) {
                last = child
            }
            if last == parent { return }
            entries.swapAt(parent, last)
            parent = last
        }
    }

    /// The entries in order.
    func sorted(_ isBefore: (Entry, Entry) -> Bool) -> [Entry] { entries.sorted(by: isBefore) }
}
