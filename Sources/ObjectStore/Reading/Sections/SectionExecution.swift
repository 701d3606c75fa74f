import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// Divides the result of a query into sections, on one view of the store.
///
/// One thread at a time uses it; the view must stay open. If an index has the order of the keys, it is followed from the last
/// section on, by its entries only if they are sufficient. Otherwise all objects are read. The memory is bounded by the page or,
/// if the keys do not order the sections, by the number of sections.
package final class SectionExecution {
    let query: SectionQuery
    let transaction: ReadTransaction
    let rowClass: RowClass
    let limits: QueryLimits
    /// Of the direction in which the sections stand, where that is the order of their keys.
    let reader: SectionKeyReader
    private let isAscending: Bool
    let order: ObjectOrder
    /// For the sort values of one object.
    let sortBuffer = ByteBuffer(capacity: 128)
    /// The plans that were followed.
    package private(set) var plans: [FollowedPlan] = []
    /// Whether ``plans`` tell times.
    package var isTimed = false
    /// The counts of entries and rows read so far.
    package private(set) var statistics = QueryExecution.Statistics()

    /// Makes ready.
    package init(_ query: SectionQuery, in transaction: ReadTransaction, limits: QueryLimits) {
        self.query = query
        self.transaction = transaction
        self.limits = limits
        rowClass = transaction.rows.classes[query.classIndex]
        isAscending = query.isContiguous ? query.sort.first?.isAscending ?? true : true
        reader = SectionKeyReader(query.key, isAscending: isAscending, schema: transaction.rows)
        order = ObjectOrder(query.sort, of: rowClass, in: transaction)
    }

    /// Whether the next position is known: false after an object with a text that is too long for a position, if the object is
    /// gone or has another text now.
    package var canGoOn: Bool {
        // The beginnings of texts are never cut.
        guard let after = query.after, query.stages == nil,
            !(query.isContiguous && query.key.prefixCount != nil)
        else { return true }
        return (keyOrder ?? order).canGoOn(behind: after)
    }

    /// The order of the sections, where it is that of their keys.
    var keyOrder: ObjectOrder? {
        query.isContiguous
            ? ObjectOrder(Array(query.sort.prefix(1)), of: rowClass, in: transaction) : nil
    }

    /// A page of sections.
    package func run() throws(StoreError) -> SectionPage {
        var page = try find()
        for index in page.sections.indices {
            // By every plan a key is written as in the first object of the result that has it.
            if let first = page.sections[index].objects.first { page.sections[index].any = first }
            if query.objectCountMax == 0 { page.sections[index].objects = [] }
        }
        return page
    }

    private func find() throws(StoreError) -> SectionPage {
        transaction.limitFollowing(
            until: limits.deadlineMilliseconds, memoryByteCountMax: limits.memoryByteCountMax)
        if let stages = query.stages { return try run(stages) }
        if query.isContiguous, !query.countsAll, let page = try walk() { return page }
        let execution = try makeExecution()
        defer { account(execution) }
        let columns = SectionColumns(
            query.key, isAscending: isAscending, sort: query.ownSort, schema: transaction.rows)
        if let columns {
            let groups = makeGroups()
            if try execution.divide(columns, among: groups) {
                return try page(of: groups, execution) { () throws(StoreError) in
                    _ = try execution.divide(columns, among: groups)
                }
            }
        }
        let groups = makeGroups()
        try add(to: groups, by: execution)
        return try page(of: groups, execution) { () throws(StoreError) in
            let execution = try makeExecution()
            defer { account(execution) }
            try add(to: groups, by: execution)
        }
    }

    private func makeGroups() -> SectionGroups {
        SectionGroups(
            query, reader, order, keyOrder: keyOrder, in: transaction,
            byteCountMax: limits.memoryByteCountMax)
    }

    /// The page of sections with the added objects.
    ///
    /// - `addAgain`: Adds all objects once more, to show the objects of the sections on the page.
    private func page(
        of groups: SectionGroups, _ execution: QueryExecution,
        addAgain: () throws(StoreError) -> Void
    ) throws(StoreError) -> SectionPage {
        var page = SectionPage()
        if query.countsAll { page.total = groups.countSeen }
        page.hasMore = try groups.choose()
        if groups.needsObjects {
            groups.close()
            try addAgain()
        }
        let standing = keyOrder ?? order
        for group in groups.groups {
            let objects = try execution.objects(try groups.shownKeys(group))
            let any = objects.isEmpty ? try execution.objects([group.first.key]) : objects
            guard let first = any.first else { continue }
            page.sections.append(
                Section(
                    any: first, count: group.count, objects: objects,
                    position: position(of: first, in: standing)))
        }
        return page
    }

    /// The position of a section, of which an object is known.
    func position(
        of object: (key: UInt64, row: RowView), in standing: ObjectOrder
    ) -> QueryPosition {
        guard query.isContiguous, query.key.prefixCount != nil else {
            return standing.position(object.key, object.row)
        }
        let buffer = ByteBuffer(capacity: 64)
        reader.append(row: object.row, key: object.key, source: transaction, to: buffer)
        return QueryPosition(sortBytes: buffer.array, key: object.key)
    }

    /// Finds the objects in any order.
    private func makeExecution() throws(StoreError) -> QueryExecution {
        let execution = try QueryExecution(
            ObjectQuery(classIndex: query.classIndex, predicate: query.predicate),
            in: transaction, limits: limits)
        execution.isTimed = isTimed
        return execution
    }

    private func add(to groups: SectionGroups, by execution: QueryExecution) throws(StoreError) {
        var isFull = false
        try execution.run(limit: .max) { key, row in
            isFull = !groups.add(key, row)
            return !isFull
        }
        if isFull { throw .stopped(.memory) }
    }

    /// Adds the counts of an execution, as soon as it has ended.
    func account(_ execution: QueryExecution) {
        let own = execution.statistics
        statistics.rowsRead += own.rowsRead
        statistics.entriesRead += own.entriesRead
        plans += execution.followed.filter { followed in
            !plans.contains { $0.plan == followed.plan }
        }
    }
}

// Sections of a result that is computed as a whole, for a filter's own SORT, DISTINCT and LIMIT.
extension SectionExecution {
    /// The page behind the last section of the one before; where that is gone, at its number.
    func run(_ stages: StagedQuery) throws(StoreError) -> SectionPage {
        let (keys, execution) = try stages.run(in: transaction, limits: limits, isTimed: isTimed)
        defer { account(execution) }
        let buffer = ByteBuffer(capacity: 128)
        var sectionIndexes: [[UInt8]: Int] = [:]
        var found: [(bytes: [UInt8], count: Int, shown: [UInt64])] = []
        var byteCount = 0
        try execution.forEach(keys) { key, row in
            buffer.removeAll()
            reader.append(row: row, key: key, source: transaction, to: buffer)
            let bytes = buffer.array
            let sectionIndex = sectionIndexes[bytes] ?? found.count
            if sectionIndex == found.count {
                sectionIndexes[bytes] = sectionIndex
                found.append((bytes, 0, []))
                byteCount += 2 * bytes.count + 160
            }
            found[sectionIndex].count += 1
            if found[sectionIndex].shown.count < max(1, query.objectCountMax) {
                found[sectionIndex].shown.append(key)
                byteCount += MemoryLayout<UInt64>.size
            }
            return byteCount <= limits.memoryByteCountMax
        }
        if byteCount > limits.memoryByteCountMax { throw .stopped(.memory) }
        var start = 0
        if let after = query.after {
            start =
                sectionIndexes[after.sortBytes].map { $0 + 1 }
                ?? min(found.count, query.countBefore)
        }
        let end = min(found.count, start + query.sectionCountMax)
        var page = SectionPage()
        page.hasMore = end < found.count
        if query.countsAll { page.total = found.count }
        for group in found[start..<end] {
            let objects = try execution.objects(group.shown)
            guard let first = objects.first else { continue }
            page.sections.append(
                Section(
                    any: first, count: group.count, objects: objects,
                    position: QueryPosition(sortBytes: group.bytes, key: first.key)))
        }
        return page
    }
}
