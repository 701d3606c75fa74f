import Bytes
import Query
import Rows

/// Divides objects that come in any order among their sections. One thread at a time uses it.
///
/// Where sections stand in the order of their keys, only so many of them are kept as are wanted. Else the
/// first object of a section, which says where it stands, may be the last that is seen: all are kept, one
/// entry each.
final class SectionGroups {
    /// One section.
    struct Group {
        /// What says where it stands: its key, or its first object by the order of the result.
        var first: PageHeap.Entry
        fileprivate let hash: UInt128
        var count = 0
        /// The first objects by the order of the result.
        fileprivate var shown: PageHeap?

        /// What it takes beside its entries.
        fileprivate static let byteCount = 160
    }

    private let query: SectionQuery
    private let reader: SectionKeyReader
    /// The order of the result.
    private let order: ObjectOrder
    /// The order of the sections, where it is that of their keys.
    private let keyOrder: ObjectOrder?
    /// Whether the objects of a section stand in the order of their object keys.
    private let isPlain: Bool
    private let source: ReadTransaction
    private let byteCountMax: Int
    private var byteCount = 0
    private let keyBuffer = ByteBuffer(capacity: 128)
    private let sortBuffer = ByteBuffer(capacity: 128)
    private var groups: [Group] = []
    private var groupIndexes: [UInt128: Int] = [:]
    /// No section behind this one is wanted.
    private var ceiling: PageHeap.Entry?
    /// All keys that were seen, where they are counted and not all kept.
    private var seen: Set<UInt128> = []
    private let countsSeen: Bool
    /// Whether only objects of sections that are there already are taken.
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
        isPlain = keyOrder != nil && query.sort.count == 1 && query.key.prefixCount == nil
        countsSeen = query.countsAll && keyOrder != nil
    }

    /// How many sections have been seen.
    var countSeen: Int { countsSeen ? seen.count : groups.count }

    /// One more than wanted shows whether there are more.
    private var keptCount: Int { query.sectionCountMax + 1 }

    /// Takes an object.
    ///
    /// - Returns: Whether there is memory for more.
    func add(_ key: UInt64, _ row: RowView) -> Bool {
        keyBuffer.removeAll()
        reader.append(row: row, key: key, source: source, to: keyBuffer)
        let bytes = keyBuffer.bytes
        if isClosed {
            if let groupIndex = groupIndexes[SipHash128.number(bytes)] {
                show(key, row, groupIndex)
            }
            return byteCount <= byteCountMax
        }
        if countsSeen, seen.insert(SipHash128.number(bytes)).inserted { byteCount += 48 }
        if let keyOrder {
            if let groupIndex = groupIndex(bytes, key, row, keyOrder) {
                groups[groupIndex].count += 1
                show(key, row, groupIndex)
            }
        } else {
            groups[groupIndex(bytes, key, row)].count += 1
        }
        return byteCount <= byteCountMax
    }

    /// The place of an object's section among those in the order of their keys; nil when it is not wanted.
    private func groupIndex(
        _ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ row: RowView, _ keyOrder: ObjectOrder
    ) -> Int? {
        if let after = query.after, !keyOrder.isBehind(bytes, key, row, after) { return nil }
        if let ceiling, !isWithin(bytes, key, row, ceiling, keyOrder) { return nil }
        let hash = SipHash128.number(bytes)
        if let groupIndex = groupIndexes[hash] { return groupIndex }
        if groups.count >= 2 * (keptCount + 8) { keepFirst(keyOrder) }
        if let ceiling, !isWithin(bytes, key, row, ceiling, keyOrder) { return nil }
        return insert(PageHeap.Entry(sortBytes: bytes, key: key, row: row), hash)
    }

    private func isWithin(
        _ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ row: RowView,
        _ ceiling: PageHeap.Entry, _ keyOrder: ObjectOrder
    ) -> Bool {
        ceiling.withSortBytes { $0.elementsEqual(bytes) }
            || keyOrder.isBefore(bytes, key, row, ceiling)
    }

    /// The place of an object's section among those in the order of their first objects.
    private func groupIndex(_ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ row: RowView) -> Int {
        sortBuffer.removeAll()
        order.append(key, row, to: sortBuffer)
        let hash = SipHash128.number(bytes)
        guard let groupIndex = groupIndexes[hash] else {
            return insert(PageHeap.Entry(sortBytes: sortBuffer.bytes, key: key, row: row), hash)
        }
        if order.isBefore(sortBuffer.bytes, key, row, groups[groupIndex].first) {
            let entry = PageHeap.Entry(sortBytes: sortBuffer.bytes, key: key, row: row)
            byteCount += entry.byteCount - groups[groupIndex].first.byteCount
            groups[groupIndex].first = entry
        }
        return groupIndex
    }

    private func insert(_ first: PageHeap.Entry, _ hash: UInt128) -> Int {
        byteCount += Group.byteCount + first.byteCount
        groupIndexes[hash] = groups.count
        groups.append(Group(first: first, hash: hash, shown: makeHeap()))
        return groups.count - 1
    }

    private func makeHeap() -> PageHeap? {
        // Where the keys say nothing of their order, sections are found by their first objects.
        let countMax = keyOrder == nil ? query.objectCountMax : query.knownObjectCountMax
        return countMax > 0
            ? PageHeap(countMax: countMax, byteCountMax: byteCountMax) : nil
    }

    /// Forgets the sections behind those that are wanted.
    private func keepFirst(_ keyOrder: ObjectOrder) {
        groups.sort { keyOrder.isBefore($0.first, $1.first) }
        for group in groups[keptCount...] {
            byteCount -=
                Group.byteCount + group.first.byteCount + (group.shown?.byteCount ?? 0)
        }
        groups.removeLast(groups.count - keptCount)
        ceiling = groups.last?.first
        groupIndexes.removeAll(keepingCapacity: true)
        for (groupIndex, group) in groups.enumerated() { groupIndexes[group.hash] = groupIndex }
    }

    /// Keeps an object if it is among the first of its section.
    private func show(_ key: UInt64, _ row: RowView, _ groupIndex: Int) {
        guard groups[groupIndex].shown != nil else { return }
        sortBuffer.removeAll()
        if !isPlain { order.append(key, row, to: sortBuffer) }
        let before = groups[groupIndex].shown?.byteCount ?? 0
        _ = groups[groupIndex].shown?.insert(sortBuffer.bytes, key, row, by: order)
        byteCount += (groups[groupIndex].shown?.byteCount ?? 0) - before
    }

    // MARK: The result

    /// The page of sections behind ``SectionQuery/after``; the objects of sections whose keys say nothing of
    /// their order come by ``addObjects(to:)``.
    func page() -> SectionPage {
        let standing = keyOrder ?? order
        groups.sort { standing.isBefore($0.first, $1.first) }
        if keyOrder == nil, let after = query.after {
            groups.removeAll { group in
                !group.first.withSortBytes {
                    order.comesAfter($0, group.first.key, group.first.row, after)
                }
            }
        }
        var page = SectionPage()
        page.hasMore = groups.count > query.sectionCountMax
        groups.removeLast(max(0, groups.count - query.sectionCountMax))
        page.sections = groups.map { group in
            let first = group.first
            var position = standing.position(first.key, first.row)
            if query.key.prefixCount != nil, keyOrder != nil {
                position = QueryPosition(
                    sortBytes: first.withSortBytes { Array($0) }, key: first.key)
            }
            return Section(any: (first.key, first.row), count: group.count, position: position)
        }
        addObjects(to: &page)
        return page
    }

    /// Whether the objects have to be handed over once more, for those that are shown.
    func needsObjects(_ page: SectionPage) -> Bool {
        keyOrder == nil && query.objectCountMax > 0 && !page.sections.isEmpty
    }

    /// Makes ready for the objects of the page's sections alone.
    func close() {
        isClosed = true
        groupIndexes = [:]
        for (groupIndex, group) in groups.enumerated() { groupIndexes[group.hash] = groupIndex }
    }

    /// Adds the objects that are shown.
    func addObjects(to page: inout SectionPage) {
        for (groupIndex, group) in groups.enumerated() {
            guard let shown = group.shown else { continue }
            page.sections[groupIndex].objects = shown.sorted(by: order).map {
                ($0.key, $0.row)
            }
        }
    }
}

extension ObjectOrder {
    /// Whether an object's section comes behind another one, in the order of their keys.
    ///
    /// - `bytes`: The key of the object's section.
    func isBehind(
        _ bytes: UnsafeRawBufferPointer, _ key: UInt64, _ row: RowView, _ section: QueryPosition
    ) -> Bool {
        // Equal texts are cut alike, hash and all.
        !bytes.elementsEqual(section.sortBytes) && comesAfter(bytes, key, row, section)
    }
}
