import Bytes
import ObjectJSON
import ObjectStore
import Query
import Rows

/// Runs a query for one page and writes it.
struct QueryPage {
    let view: PageView
    let query: CheckedQuery
    let text: QueryText

    var read: ReadTransaction { view.read }

    /// Writes the page.
    ///
    /// - Throws: ``RequestFault`` for a cursor that does not fit, limits, or failing storage.
    func write(to buffer: ByteBuffer) throws(RequestFault) -> PageReply {
        let cursor = try PageCursor.read(text, query: query.hash, epoch: read.epoch)
        if cursor != nil, !query.canPage {
            throw text.fault(
                "distinct",
                "A list with 'distinct' has pages only when its sort begins with the same paths.")
        }
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
            after: cursor?.position, expectedCount: isDistinct ? nil : sought)
        let limits = view.queryLimits
        let execution = try view.execution(objects, limits, account)
        account.add("plan", 0)
        var writer = PageWriter(view, query, buffer)
        var count = 0
        var last: QueryPosition?
        var hasMore = false
        var distinct = DistinctFilter(
            query, read, after: cursor?.position, byteCountMax: limits.memoryByteCountMax)
        try view.served.stored { () throws(StoreError) in
            try execution.run(limit: isDistinct ? .max : sought) { key, row in
                guard distinct?.takes(key, row) ?? true else { return true }
                if distinct?.isFull ?? false { return false }
                guard count < wanted else {
                    hasMore = left > wanted
                    return false
                }
                writer.write(row, key: key)
                count += 1
                if count == wanted { last = execution.position(key, row) }
                return !writer.isTruncated
            }
        }
        if writer.isTruncated || distinct?.isFull ?? false { throw view.outOfMemory }
        account.add(execution, "objects", count)
        var next: PageCursor?
        if hasMore, let last, query.canPage {
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
        if query.distinct.isEmpty { all = objects.counted }
        let execution = try view.execution(all, limits, account)
        var distinct = DistinctFilter(
            query, read, after: nil, byteCountMax: limits.memoryByteCountMax)
        let found = try view.served.stored { () throws(StoreError) in
            if distinct == nil { return try execution.count() }
            var count = 0
            try execution.run(limit: .max) { key, row in
                if distinct?.takes(key, row) ?? true { count += 1 }
                return !(distinct?.isFull ?? false)
            }
            return count
        }
        if distinct?.isFull ?? false { throw view.outOfMemory }
        let count = min(found, query.total ?? found)
        account.add(execution, "count", count, isBeside: true)
        return count
    }
}
