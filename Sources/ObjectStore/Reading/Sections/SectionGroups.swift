import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// Divides objects that come in any order among their sections. One thread at a time uses it.
///
/// If sections are in the order of their keys, only the wanted number of them is kept. Otherwise the first object of a section,
/// which decides its position, may come last: all sections are kept, one entry each, and the objects of the sections on the page
/// are added once more.
final class SectionGroups {
    /// One section.
    struct Group {
        /// Where it stands: its key, or its first object by the order of the result.
        fileprivate(set) var first: SortEntry
        fileprivate(set) var count = 0
        /// The first objects by the order of the result.
        fileprivate var shown: PageHeap?
        fileprivate let hash: UInt128
        /// Where its index stands in ``indexes``.
        fileprivate let slot: Int32

        /// Bytes that it takes with its places in tables, beside its entries.
        fileprivate static let byteCount = 160

        /// Keeps an object if it is among the first.
        ///
        /// - Returns: How many bytes more the group takes.
        fileprivate mutating func show(_ entry: SortEntry, by order: ObjectOrder) -> Int {
            let before = shown?.byteCount ?? 0
            _ = shown?.insert(entry, by: order)
            return (shown?.byteCount ?? 0) - before
        }
    }

    /// The state of a code of a column.
    private struct Code {
        /// The slot of its group; −1 where that is not wanted.
        let slot: Int32
        var count = 0
        /// Objects with ranks from this one on are not shown; ``UInt128/max`` if all may be shown.
        var bound: UInt128
    }

    private let query: SectionQuery
    private let reader: SectionKeyReader
    private let order: ObjectOrder
    /// The order of the sections, where it is that of their keys.
    private let keyOrder: ObjectOrder?
    /// Whether the objects of a section stand in the order of their object keys.
    private let isPlain: Bool
    private let source: ReadTransaction
    private let byteCountMax: Int
    private let keyBuffer = ByteBuffer(capacity: 128)
    private let sortBuffer = ByteBuffer(capacity: 128)
    private(set) var groups: [Group] = []
    /// The indexes of all groups so far; −1 for groups that are not wanted any more.
    private var indexes: [Int32] = []
    private var slots: [UInt128: Int32] = [:]
    private var codes: [Code] = []
    /// No section behind this one is wanted.
    private var ceiling: SortEntry?
    /// All keys that were seen, where they are counted and not all kept.
    private var seen: Set<UInt128> = []
    private var byteCount = 0
    /// Whether only objects to be shown are taken, of sections that are there already.
    private var isClosed = false

    init(
        _ query: SectionQuery, _ reader: SectionKeyReader, _ order: ObjectOrder,
        keyOrder: ObjectOrder?, in source: ReadTransaction, byteCountMax: Int
    ) {
        self.query = query
        self.reader = reader
        self.order = order
        self.keyOrder = keyOrder
        self.source = source
        self.byteCountMax = byteCountMax
        isPlain = query.ownSort.isEmpty
    }

    /// How many sections have been seen.
    var countSeen: Int { keyOrder == nil ? groups.count : seen.count }

    /// Bytes of memory that it takes.
    private var isWithinMemory: Bool {
        byteCount + codes.capacity * MemoryLayout<Code>.stride <= byteCountMax
    }

    // MARK: Objects

    /// Takes an object; false when there is no memory for more.
    func add(_ key: UInt64, _ row: RowView) -> Bool {
        keyBuffer.removeAll()
        reader.append(row: row, key: key, source: source, to: keyBuffer)
        guard let index = index(slot(keyBuffer.bytes, key)) else { return isWithinMemory }
        if !isClosed { groups[index].count += 1 }
        guard let last = last(index) else { return true }
        sortBuffer.removeAll()
        if !isPlain { order.append(key, row, to: sortBuffer) }
        // Most objects come after the kept ones: no entry is made for them.
        if SortEntry.rank(of: sortBuffer.bytes) > last { return true }
        show(SortEntry(sortBuffer.bytes, key: key), index)
        return isWithinMemory
    }

    /// Takes objects with keys and ranks from columns; false if there is no memory for more.
    func add(_ batch: SectionColumns.Batch, of columns: SectionColumns) -> Bool {
        // The first occurrence of a code is one more than all codes before it.
        for index in 0..<batch.count where Int(batch.codes[index]) == codes.count {
            keyBuffer.removeAll()
            columns.append(codes.count, to: keyBuffer)
            let slot = slot(keyBuffer.bytes, batch.key(index))
            codes.append(Code(slot: slot, bound: slot < 0 ? 0 : .max))
        }
        let areRanksWhole = columns.areRanksWhole
        codes.withUnsafeMutableBufferPointer { codes in
            for index in 0..<batch.count {
                let code = Int(batch.codes[index])
                codes[code].count += 1
                let (rank, bound) = (batch.ranks?[index] ?? 0, codes[code].bound)
                if rank >= bound, bound != .max { continue }
                let key = batch.key(index)
                guard let group = self.index(codes[code].slot) else {
                    codes[code].bound = 0
                    continue
                }
                if last(group) != nil {
                    show(
                        areRanksWhole
                            ? SortEntry(rank: rank, key: key)
                            : SortEntry(columns.sortBytes(key), key: key), group)
                }
                let last = last(group) ?? 0
                // An object with a complete rank comes after the earlier objects with the same rank.
                let isOpen = last == .max || areRanksWhole
                codes[code].bound = isOpen ? last : last + 1
            }
        }
        return isWithinMemory
    }

    /// The index of the section with a slot; nil when it is not wanted.
    private func index(_ slot: Int32) -> Int? {
        guard slot >= 0, indexes[Int(slot)] >= 0 else { return nil }
        return Int(indexes[Int(slot)])
    }

    /// The greatest rank of an object that a section keeps; nil if it keeps no objects.
    private func last(_ index: Int) -> UInt128? {
        keyOrder == nil && !isClosed ? groups[index].first.rank : groups[index].shown?.lastRank
    }

    /// Keeps an object if it is among the first of its section.
    private func show(_ entry: SortEntry, _ index: Int) {
        if keyOrder == nil, !isClosed {
            guard order.isBefore(entry, groups[index].first) else { return }
            byteCount += entry.byteCount - groups[index].first.byteCount
            groups[index].first = entry
        } else {
            byteCount += groups[index].show(entry, by: order)
        }
    }

    // MARK: Sections

    /// The slot of the section with a key; −1 when it is not wanted.
    private func slot(_ bytes: UnsafeRawBufferPointer, _ key: UInt64) -> Int32 {
        let hash = SipHash128.number(bytes)
        if keyOrder != nil, query.countsAll, !isClosed, seen.insert(hash).inserted {
            byteCount += Self.seenByteCount
        }
        if let slot = slots[hash] { return slot }
        guard !isClosed else { return -1 }
        var first = SortEntry(bytes, key: key)
        if let keyOrder {
            // Equal texts are cut alike, hash and all.
            if let after = query.after,
                bytes.elementsEqual(after.sortBytes) || !keyOrder.comesAfter(bytes, key, after)
            {
                return -1
            }
            if let ceiling, keyOrder.compare(first, ceiling) > 0 { return -1 }
            if groups.count >= 2 * (keptCount + 8) { keepFirst(keyOrder) }
            if let ceiling, keyOrder.compare(first, ceiling) > 0 { return -1 }
        } else {
            // No object comes behind it.
            first = .last
        }
        let slot = Int32(indexes.count)
        indexes.append(Int32(groups.count))
        slots[hash] = slot
        byteCount += Group.byteCount + first.byteCount
        groups.append(
            Group(
                first: first, shown: keyOrder == nil ? nil : heap(query.knownObjectCountMax),
                hash: hash, slot: slot))
        return slot
    }

    private static let seenByteCount = 48

    /// One more than wanted shows whether there are more.
    private var keptCount: Int { query.sectionCountMax + 1 }

    private func heap(_ countMax: Int) -> PageHeap? {
        countMax > 0 ? PageHeap(countMax: countMax, byteCountMax: byteCountMax) : nil
    }

    /// Forgets the sections after the wanted ones.
    private func keepFirst(_ keyOrder: ObjectOrder) {
        groups.sort { keyOrder.isBefore($0.first, $1.first) }
        for group in groups[keptCount...] {
            indexes[Int(group.slot)] = -1
            slots[group.hash] = nil
            byteCount -= Group.byteCount + group.first.byteCount + (group.shown?.byteCount ?? 0)
        }
        groups.removeLast(groups.count - keptCount)
        ceiling = groups.last?.first
        for (index, group) in groups.enumerated() { indexes[Int(group.slot)] = Int32(index) }
    }

    // MARK: The page

    /// Keeps the sections behind ``SectionQuery/after`` in their order, as many as are wanted.
    ///
    /// - Returns: Whether there are more.
    func choose() throws(StoreError) -> Bool {
        for code in codes {
            if let index = index(code.slot) { groups[index].count += code.count }
        }
        let standing = keyOrder ?? order
        let sorted = try source.budget.sorted(Array(groups.indices)) {
            standing.isBefore(groups[$0].first, groups[$1].first)
        }
        var start = 0
        if keyOrder == nil, let after = query.after {
            start = sorted.firstPosition { order.comesAfter(groups[$0].first.key, after) }
        }
        let end = min(sorted.count, start + query.sectionCountMax)
        groups = sorted[start..<end].map { groups[$0] }
        return end < sorted.count
    }

    /// Whether the objects have to be handed over once more, to show them.
    var needsObjects: Bool { keyOrder == nil && query.objectCountMax > 1 && !groups.isEmpty }

    /// Makes ready for the objects of the page's sections alone.
    func close() {
        isClosed = true
        slots = [:]
        for slot in indexes.indices { indexes[slot] = -1 }
        for index in groups.indices {
            slots[groups[index].hash] = groups[index].slot
            indexes[Int(groups[index].slot)] = Int32(index)
            groups[index].shown = heap(query.objectCountMax)
        }
        for code in codes.indices { codes[code].bound = .max }
    }

    /// The keys of the objects of a section that are shown.
    func shownKeys(_ group: Group) throws(StoreError) -> [UInt64] {
        if let shown = group.shown { return try shown.sortedKeys(by: order) }
        return keyOrder == nil && query.objectCountMax > 0 ? [group.first.key] : []
    }
}
