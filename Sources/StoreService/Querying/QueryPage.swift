import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore

/// Runs a query for one page and writes it.
struct QueryPage {
    let view: PageView
    let query: CheckedQuery
    let text: QueryText

    var read: ReadTransaction { view.read }

    /// Objects of a page up to which a query that reads nothing else is short.
    private static let shortCountMax = 100

    /// Whether the page has few objects, which an index names.
    var isShort: Bool {
        query.limit <= Self.shortCountMax && !query.selection.holdsOtherObjects
            && query.points == nil && !text.counts && query.distinct.isEmpty && query.stages == nil
            && ObjectQuery(
                classIndex: query.rowClass.index, predicate: query.predicate, sort: query.sort
            ).isBounded(in: read)
    }

    /// Writes the page.
    ///
    /// - Throws: ``RequestFault`` for a cursor that does not fit, limits, or failing storage.
    func write(to buffer: ByteBuffer) throws(RequestFault) -> PageReply {
        let cursor = try view.cursor(text, query.hash)
        let account = view.account(text, of: query.rowClass)
        if let stages = query.stages {
            return try write(stages, after: cursor, to: buffer, account)
        }
        if let cursor,
            !ObjectOrder(query.sort, of: query.rowClass, in: read).canGoOn(behind: cursor.position)
        {
            throw PageCursor.lost
        }
        // A cursor may say anything; a page's objects are added to the number.
        let returnedBefore = Int(clamping: min(cursor?.returnedCount ?? 0, UInt64(Int32.max) << 16))
        let left = query.total.map { max(0, $0 - returnedBefore) } ?? Int.max
        let wanted = min(query.limit, left)
        // One more than wanted shows whether there is a next page.
        let sought = wanted == .max ? wanted : wanted + 1
        let isDistinct = !query.distinct.isEmpty
        let objects = ObjectQuery(
            classIndex: query.rowClass.index, predicate: query.predicate, sort: query.sort,
            after: query.pagesByDistinct ? cursor?.position : nil,
            expectedCount: isDistinct ? nil : sought)
        let limits = view.queryLimits
        let execution = try view.execution(objects, limits, account)
        account.add("plan", 0)
        var writer = PageWriter(view, query, buffer)
        var count = 0
        var last: QueryPosition?
        var hasMore = false
        var distinct = DistinctFilter(
            query, read, after: cursor?.position, byteCountMax: limits.memoryByteCountMax)
        try view.served.mappingStoreErrors(
            execution.run(limit: isDistinct ? .max : sought) { key, row in
                guard distinct?.takes(key, row) ?? true else { return true }
                if distinct?.isFull ?? false { return false }
                guard count < wanted else {
                    hasMore = left > wanted
                    return false
                }
                writer.write(row, key: key)
                count += 1
                if count == wanted { last = execution.position(key, row) }
                return writer.hasRoom
            })
        try writer.finish()
        if distinct?.isFull ?? false { throw view.outOfMemory }
        account.add(execution, "objects", count)
        var next: PageCursor?
        if hasMore, let last {
            next = PageCursor(
                query: query.hash, epoch: read.epoch, returnedCount: UInt64(returnedBefore + count),
                position: last)
        }
        let total = text.counts ? try countAll(objects, limits, account) : nil
        return try writer.end(next: next, count: total, account, rowsReturned: count)
    }

    /// How many objects the whole result has.
    private func countAll(
        _ objects: ObjectQuery, _ limits: QueryLimits, _ account: PageAccount
    ) throws(RequestFault) -> Int {
        var all = objects
        all.after = nil
        all.expectedCount = nil
        if query.distinct.isEmpty { all = objects.counted } else { all.sort = [] }
        let execution = try view.execution(all, limits, account)
        var distinct = DistinctFilter(
            query, read, after: nil, byteCountMax: limits.memoryByteCountMax)
        var count = 0
        if distinct == nil {
            count = try view.served.mappingStoreErrors(execution.count())
        } else {
            try view.served.mappingStoreErrors(
                execution.run(limit: .max) { key, row in
                    if distinct?.takes(key, row) ?? true { count += 1 }
                    return !(distinct?.isFull ?? false)
                })
        }
        if distinct?.isFull ?? false { throw view.outOfMemory }
        count = min(count, query.total ?? count)
        account.add(execution, "count", count, isBeside: true)
        return count
    }

    func write(
        _ stages: StagedQuery, after cursor: PageCursor?, to buffer: ByteBuffer,
        _ account: PageAccount
    ) throws(RequestFault) -> PageReply {
        let limits = view.queryLimits
        let (keys, execution) = try view.served.mappingStoreErrors(
            stages.run(in: read, limits: limits, isTimed: account.isAsked))
        let first = Self.start(in: keys, after: cursor)
        let end = min(keys.count, first + query.limit)
        var writer = PageWriter(view, query, buffer)
        var count = 0
        for key in keys[first..<end] {
            let row = try view.served.mappingStoreErrors(read.find(query.rowClass, key: key))
            guard let row, writer.hasRoom else { continue }
            writer.write(row, key: key)
            count += 1
        }
        try writer.finish()
        account.add(execution, "objects", keys.count)
        var next: PageCursor?
        if end < keys.count, end > first {
            next = PageCursor(
                query: query.hash, epoch: read.epoch, returnedCount: UInt64(end),
                position: QueryPosition(sortBytes: [], key: keys[end - 1]))
        }
        return try writer.end(
            next: next, count: text.counts ? keys.count : nil, account, rowsReturned: count)
    }

    private static func start(in keys: [UInt64], after cursor: PageCursor?) -> Int {
        guard let cursor else { return 0 }
        if let index = keys.firstIndex(of: cursor.position.key) { return index + 1 }
        return min(keys.count, Int(clamping: cursor.returnedCount))
    }
}
