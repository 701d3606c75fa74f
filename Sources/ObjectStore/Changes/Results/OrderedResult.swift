import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The result of a query as object keys in their order. It advances from view to view by the changes.
///
/// Takes 8 bytes for each object. One thread at a time uses it.
package final class OrderedResult {
    /// The object keys, in the order of the result.
    package private(set) var keys: [UInt64] = []
    private let classIndex: Int
    private let query: StagedQuery
    /// The order of the result; nil if an object's own values do not tell whether it belongs to the result.
    private let sort: [SortKey]?
    /// The condition and the order: the reads that can make objects come, go and move.
    private let moving: ObservedQuery
    private let shown: ShownProperties

    /// The largest share of the result that may change. Beyond it the query is run again.
    private static let changedShare = 16
    private static let changedCountMin = 64

    /// Makes a result without objects: ``load(in:)`` finds them.
    ///
    /// - `suffixes`: Applied from left to right.
    /// - `shown`: The properties that count as changes of the objects.
    package init(
        classIndex: Int, predicate: Predicate?, suffixes: [QuerySuffix], shown: ShownProperties,
        schema: RowSchema
    ) {
        self.classIndex = classIndex
        self.shown = shown
        sort = Self.sort(suffixes)
        query = StagedQuery(
            classIndex: classIndex, predicate: predicate,
            suffixes: sort.map { [.sort($0)] } ?? suffixes)
        moving = ObservedQuery(
            target: .objects(classIndex: classIndex), predicate: predicate,
            filterPaths: (predicate?.dependencies(schema) ?? [])
                + query.orderKeys.flatMap { $0.path.dependencies(schema) },
            countsEverything: false, schema: schema)
    }

    /// The single sort that several in a row amount to: the last one counts most, and each is stable. Nil if there is another
    /// suffix among them.
    private static func sort(_ suffixes: [QuerySuffix]) -> [SortKey]? {
        var keys: [SortKey] = []
        for suffix in suffixes {
            guard case .sort(let own) = suffix else { return nil }
            keys = own + keys
        }
        return keys
    }

    /// Runs the query.
    package func load(in view: ReadTransaction) throws(StoreError) { keys = try found(in: view) }

    /// Continues with the objects of a result of the same query, made for another version of the schema.
    package func take(_ other: OrderedResult) { keys = other.keys }

    private func found(in view: ReadTransaction) throws(StoreError) -> [UInt64] {
        try query.run(in: view, limits: QueryLimits(memoryByteCountMax: .max)).keys
    }

    /// Advances to the view that a step leads to.
    ///
    /// Cost: for each object that changed, or that is reached from one, two searches by its sort values, of some twenty looks at
    /// rows each in a million, and a copy of the keys. If many objects have changed, or another suffix follows the sort, the cost
    /// of the query.
    package func advance(_ step: ChangeStep) throws(StoreError) -> ListDifference {
        let changed = shown.changes(in: step)
        var moved: Set<UInt64> = []
        for candidate in moving.candidates(step.changes, in: step.after) {
            moved.insert(candidate.identity.key)
        }
        if changed.isEmpty, moved.isEmpty { return ListDifference([]) }
        let touched = moved.union(changed.keys)
        if let sort, touched.count <= max(Self.changedCountMin, keys.count / Self.changedShare) {
            return try advance(step, touched, moved, { changed[$0] != nil }, sort)
        }
        return try reload(in: step.after, changed: Set(changed.keys), moved: moved)
    }

    /// Advances to a view with unknown changes: objects with differing rows count as modified.
    package func advance(
        from before: ReadTransaction, to after: ReadTransaction, _ old: RowClass
    ) throws(StoreError) -> ListDifference {
        let new = after.rows.classes[classIndex]
        var changed: Set<UInt64> = []
        for key in keys {
            guard let a = try before.find(old, key: key), let b = try after.find(new, key: key)
            else { continue }
            if a.base != b.base, compareKeys(a.bytes, b.bytes) != 0 { changed.insert(key) }
        }
        return try reload(in: after, changed: changed, moved: changed)
    }

    private func reload(
        in view: ReadTransaction, changed: Set<UInt64>, moved: Set<UInt64>
    ) throws(StoreError) -> ListDifference {
        let new = try found(in: view)
        defer { keys = new }
        return ListDifference(from: keys, to: new, changed: changed, moving: moved)
    }

    // MARK: By positions

    private func advance(
        _ step: ChangeStep, _ touched: Set<UInt64>, _ moved: Set<UInt64>,
        _ isChanged: (UInt64) -> Bool, _ sort: [SortKey]
    ) throws(StoreError) -> ListDifference {
        let before = ResultOrder(sort, classIndex, step.before)
        let after = ResultOrder(sort, classIndex, step.after)
        let matcher = moving.matcher(in: step.after)
        var modifications: [Int] = []
        var leaving: [(key: UInt64, old: Int)] = []
        var coming: [SortEntry] = []
        for key in touched {
            let old = try before.entry(key).flatMap { entry throws(StoreError) in
                let gap = try before.gap(of: entry, keys.count) { keys[$0] }
                return gap < keys.count && keys[gap] == key ? (entry: entry, position: gap) : nil
            }
            guard moved.contains(key) else {
                if let old { modifications.append(old.position) }
                continue
            }
            let identity = ObjectIdentity(classIndex: classIndex, key: key)
            let new = moving.isMatch(identity, in: step.after, matcher) ? try after.entry(key) : nil
            if let old, let new, old.entry.compare(new) == 0, !new.mayBeCut {
                if isChanged(key) { modifications.append(old.position) }
                continue
            }
            if let old { leaving.append((key, old.position)) }
            if let new { coming.append(new) }
        }
        try step.before.checkFailure()
        try step.after.checkFailure()
        leaving.sort { $0.old < $1.old }
        coming.sort { after.order.isBefore($0, $1) }
        // Positions without the leaving objects: a kept object comes after as many leaving objects as were before it.
        let leavingGaps = leaving.enumerated().map { $1.old - $0 }
        func position(ofKept kept: Int) -> Int {
            kept + partitionPoint(leavingGaps.count) { leavingGaps[$0] <= kept }
        }
        let gaps = try coming.map { (entry) throws(StoreError) in
            try after.gap(of: entry, keys.count - leaving.count) { keys[position(ofKept: $0)] }
        }
        keys = keys.replacing(
            leaving.map(\.old), with: zip(gaps, coming).map { (position(ofKept: $0), $1.key) })
        // An object between the same staying neighbours has not moved.
        let origins = Dictionary(
            zip(leaving, leavingGaps).map { ($0.key, (old: $0.old, gap: $1)) },
            uniquingKeysWith: { first, _ in first })
        let fitting = zip(gaps, coming).compactMap { gap, entry in
            origins[entry.key].flatMap { $0.gap == gap ? (key: entry.key, old: $0.old) : nil }
        }
        let staying = Set(fitting.map(\.old).longestRise().map { fitting[$0].key })
        for (key, old) in fitting where staying.contains(key) && isChanged(key) {
            modifications.append(old)
        }
        return ListDifference(
            deletions: leaving.filter { !staying.contains($0.key) }.map(\.old),
            insertions: zip(gaps, coming).enumerated().compactMap { rank, place in
                staying.contains(place.1.key) ? nil : place.0 + rank
            }, modifications: modifications.sorted())
    }
}

/// The order of a result in one view.
private struct ResultOrder {
    let order: ObjectOrder
    let isSorted: Bool
    let rowClass: RowClass
    let view: ReadTransaction
    let buffer = ByteBuffer(capacity: 256)

    init(_ sort: [SortKey], _ classIndex: Int, _ view: ReadTransaction) {
        self.view = view
        rowClass = view.rows.classes[classIndex]
        order = ObjectOrder(sort, of: rowClass, in: view)
        isSorted = !sort.isEmpty
    }

    /// The sort entry of an object; nil if it is not there.
    func entry(_ key: UInt64) throws(StoreError) -> SortEntry? {
        guard let row = try view.find(rowClass, key: key) else { return nil }
        buffer.removeAll()
        if isSorted { order.append(key, row, to: buffer) }
        return SortEntry(buffer.bytes, key: key)
    }

    /// The number of objects in a sequence that come before an entry.
    ///
    /// - `key`: Returns the object key at a position.
    func gap(of entry: SortEntry, _ count: Int, _ key: (Int) -> UInt64) throws(StoreError) -> Int {
        if !isSorted { return partitionPoint(count) { key($0) < entry.key } }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if let other = try self.entry(key(middle)), order.isBefore(other, entry) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

extension [UInt64] {
    /// Returns the keys without some and with others. Cost: one copy.
    ///
    /// - `positions`: The positions of the removed keys, rising.
    /// - `fresh`: The added keys, each with the position of the staying key, or the end, before which it comes; rising.
    fileprivate func replacing(
        _ positions: [Int], with fresh: [(position: Int, key: UInt64)]
    ) -> [UInt64] {
        var keys: [UInt64] = []
        keys.reserveCapacity(count - positions.count + fresh.count)
        var (gone, start) = (positions[...], 0)
        func copy(until end: Int) {
            while let position = gone.first, position < end {
                keys += self[start..<position]
                start = position + 1
                gone.removeFirst()
            }
            keys += self[start..<end]
            start = end
        }
        for (position, key) in fresh {
            copy(until: position)
            keys.append(key)
        }
        copy(until: count)
        return keys
    }
}
