import Bytes
import Rows

/// The sections of what a scan over columns finds: how many objects each one has, and which come first. One thread at a
/// time uses it.
///
/// All objects are added first, then those of the sections that were chosen for a page are added once more.
package final class ColumnSections: ColumnCalculation {
    /// A page of sections, in order.
    package struct Page {
        /// How many objects each one has, and the keys of the first of them: of one at least.
        package fileprivate(set) var sections: [(count: Int, keys: [UInt64])] = []
        /// Whether more come behind them.
        package let hasMore: Bool
        /// How many there are in all.
        package let total: Int
    }

    private let coder: GroupCoder
    /// The order of the objects of a section, and of sections by their first objects unless ``keyIsAscending`` tells it; nil
    /// where objects stand in the order of their object keys.
    private let order: ColumnOrder?
    /// Whether small keys come first, where sections stand in the order of their keys.
    private let keyIsAscending: Bool?
    private let after: (sortBytes: [UInt8], key: UInt64)?
    private let sectionCountMax: Int
    private let objectCountMax: Int
    private let countsAll: Bool
    private var objectCount = 0
    private let batches = ColumnBatches()
    private let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)
    /// How many objects have each code, and which one comes first.
    private var groups: [(count: Int, first: ColumnOrder.RankedKey)] = []
    /// The keys, where they are asked for.
    private var values: CodedValues?
    /// The codes of the sections of the page: of equal keys the first.
    private var chosen: [Int] = []
    private var hasMore = false
    private var total = 0
    /// The place of each code's section in the page; -1 for none.
    private var places: [Int32] = []
    private var objects: [BoundedHeap<ColumnOrder.RankedKey>] = []

    /// Nil for what columns do not divide.
    ///
    /// - `after`: The position behind which the page begins: the sort bytes of a section's key where sections stand in the
    ///   order of their keys, else those of its first object.
    /// - `objectCountMax`: How many objects are wanted of each section.
    /// - `countsAll`: Whether the number of all sections is wanted.
    package init?(
        _ key: SectionKey, sort: [SortKey], after: (sortBytes: [UInt8], key: UInt64)?,
        sectionCountMax: Int, objectCountMax: Int, countsAll: Bool, schema: RowSchema
    ) {
        let isByKey = sort.first?.path == key.path
        // All objects of a section have the same value, or the same beginning of one.
        let rest = isByKey && key.prefixCount == nil ? Array(sort.dropFirst()) : sort
        let order = ColumnOrder(rest, schema: schema)
        guard rest.isEmpty || order != nil, let coder = GroupCoder.coder(of: key, schema)
        else { return nil }
        self.coder = coder
        self.order = order
        keyIsAscending = isByKey ? sort.first?.isAscending : nil
        self.after = after
        self.sectionCountMax = sectionCountMax
        self.objectCountMax = objectCountMax
        self.countsAll = countsAll
    }

    deinit { codes.deallocate() }

    package var references: Set<ColumnReference> {
        Set([coder.reference] + (order?.references ?? []))
    }

    package func bind(
        to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool
    ) -> Bool {
        coder.bind(to: columns)
        return order?.bind(to: columns, byteCountMax: byteCountMax, isInTime: isInTime) ?? true
    }

    package var farClasses: [Int] { order?.farClasses ?? [] }

    /// Bytes of memory that the sections take.
    package var byteCount: Int {
        coder.byteCount + groups.capacity * Self.groupByteCount + (order?.byteCount ?? 0)
    }

    /// With the place of each in the page.
    private static let groupByteCount =
        MemoryLayout<(Int, ColumnOrder.RankedKey)>.stride + MemoryLayout<Int32>.stride

    // MARK: All objects

    /// Adds the objects of a chunk's result.
    ///
    /// - Returns: False when the key of one is not in its column, or rows have the page with less memory and as soon: there
    ///   are many sections of few objects, of which only those of the page are wanted.
    package func add(_ chunk: Int, _ frame: ColumnFrame) -> Bool {
        var isWhole = true
        if let exceptions = coder.chunk(chunk)?.exceptions {
            frame.remove(exceptions) { _ in isWhole = false }
        }
        guard isWhole else { return false }
        objectCount += frame.count
        batches.forEach(of: chunk, frame) { batch in
            coder.encode(batch, into: codes)
            let ranks = order?.ranks(of: batch)
            func rankedKey(_ index: Int) -> ColumnOrder.RankedKey {
                ColumnOrder.RankedKey(rank: ranks?[index] ?? 0, key: batch.key(index))
            }
            // A code is one more than those before it where it comes first.
            for index in batch.positions.indices where Int(codes[index]) == groups.count {
                groups.append((0, rankedKey(index)))
            }
            groups.withUnsafeMutableBufferPointer { groups in
                for index in batch.positions.indices {
                    let code = Int(codes[index])
                    groups[code].count += 1
                    // Most come later.
                    if let ranks, ranks[index] > groups[code].first.rank { continue }
                    let own = rankedKey(index)
                    if isBefore(own, groups[code].first) { groups[code].first = own }
                }
            }
        }
        return countsAll || keyIsAscending == nil || groups.count <= Self.fewSectionCount
            || groups.count * Self.objectsPerSectionMin <= objectCount
    }

    /// So many sections are cheap to hold, however few objects each one has.
    private static let fewSectionCount = 1 << 16
    private static let objectsPerSectionMin = 4

    // MARK: The page

    /// So many sections are looked at between two looks at the time.
    private static let sectionsUnseen = 64

    /// Chooses the sections of the page, when all objects were added.
    ///
    /// - Returns: False when there is too little memory or time, or a key was cut so that columns do not tell the order.
    package func choose(byteCountMax: Int, isInTime: () -> Bool) -> Bool {
        if coder.hasEqualValues || keyIsAscending != nil {
            let values = CodedValues(
                coder, isAscending: keyIsAscending ?? true, byteCountMax: byteCountMax - byteCount,
                goesOn: isInTime)
            guard let values else { return false }
            join(values)
            self.values = values
        }
        var start: ColumnOrder.Start?
        if let after, keyIsAscending == nil {
            start = order?.start(sortBytes: after.sortBytes, key: after.key)
            if start == nil { return false }
        }
        var heap = BoundedHeap<Int>(countMax: sectionCountMax + 1)
        for group in groups.indices where groups[group].count > 0 {
            total += 1
            if total.isMultiple(of: Self.sectionsUnseen), !isInTime() { return false }
            if hasCutKey(group) { return false }
            if isBehind(group, start) { _ = heap.insert(group, isBefore: isBefore) }
        }
        chosen = heap.sorted(isBefore)
        hasMore = chosen.count > sectionCountMax
        if hasMore { chosen.removeLast() }
        let objectCount = chosen.reduce(0) { $0 + min(groups[$1].count, objectCountMax) }
        let left = byteCountMax - byteCount - (values?.byteCount ?? 0)
        return objectCount * Self.objectByteCount <= left
    }

    /// What an object that is shown takes, in a heap with room for more, in order and with its row.
    private static let objectByteCount = 4 * MemoryLayout<ColumnOrder.RankedKey>.stride

    /// Joins the groups whose keys are equal in the first of them.
    private func join(_ values: CodedValues) {
        guard values.hasEqual else { return }
        for group in groups.indices {
            let first = Int(values.firstEqual(to: group))
            if first == group { continue }
            groups[first].count += groups[group].count
            if isBefore(groups[group].first, groups[first].first) {
                groups[first].first = groups[group].first
            }
            groups[group].count = 0
        }
    }

    /// Whether sections are in the order of keys of which one was cut, so that rows have to tell it.
    private func hasCutKey(_ group: Int) -> Bool {
        guard keyIsAscending != nil, let values else { return false }
        return values[group].count > OrderedKey.textByteCountMax
    }

    @inline(__always)
    private func isBefore(_ a: ColumnOrder.RankedKey, _ b: ColumnOrder.RankedKey) -> Bool {
        order?.isBefore(a, b) ?? (a.key < b.key)
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        guard keyIsAscending != nil, let values else {
            return isBefore(groups[a].first, groups[b].first)
        }
        return compareKeys(values[a], values[b]) < 0
    }

    /// Whether a section belongs to the page: by its first object where that tells its place, else by its key.
    private func isBehind(_ group: Int, _ start: ColumnOrder.Start?) -> Bool {
        if let start, let order { return order.isBehind(groups[group].first, start) }
        guard let after, let values else { return true }
        return after.sortBytes.withUnsafeBytes { compareKeys(values[group], $0) > 0 }
    }

    // MARK: The objects of the page

    /// Whether the objects have to be added once more: the first of each section is known.
    package var needsObjects: Bool { objectCountMax > 1 && !chosen.isEmpty }

    /// The sections that were chosen, with their objects; nil when there is too little time.
    package func page(isInTime: () -> Bool) -> Page? {
        var page = Page(hasMore: hasMore, total: total)
        for (place, group) in chosen.enumerated() {
            guard isInTime() else { return nil }
            let objects =
                objects.isEmpty
                ? [groups[group].first] : objects[place].sorted(inTime: isInTime, isBefore)
            guard let objects else { return nil }
            page.sections.append((groups[group].count, objects.map(\.key)))
        }
        return page
    }

    /// Adds the objects of a chunk's result to the sections that were chosen.
    package func addObjects(_ chunk: Int, _ frame: ColumnFrame) {
        if objects.isEmpty { makeRoom() }
        batches.forEach(of: chunk, frame) { batch in
            coder.encode(batch, into: codes)
            let ranks = order?.ranks(of: batch)
            objects.withUnsafeMutableBufferPointer { objects in
                for index in batch.positions.indices {
                    let place = Int(places[Int(codes[index])])
                    if place < 0 { continue }
                    let own = ColumnOrder.RankedKey(
                        rank: ranks?[index] ?? 0, key: batch.key(index))
                    _ = objects[place].insert(own, isBefore: isBefore)
                }
            }
        }
    }

    private func makeRoom() {
        objects = chosen.map { _ in BoundedHeap(countMax: objectCountMax) }
        places = [Int32](repeating: -1, count: groups.count)
        for (place, group) in chosen.enumerated() { places[group] = Int32(place) }
        for group in groups.indices {
            places[group] = places[values.map { Int($0.firstEqual(to: group)) } ?? group]
        }
    }
}
