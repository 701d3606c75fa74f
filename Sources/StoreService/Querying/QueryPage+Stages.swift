import Bytes
import ObjectJSON
import ObjectStore
import Query
import Rows

/// Pages of a query whose SORT, DISTINCT and LIMIT stand in another order than the usual one.
///
/// The result is computed as a whole for each page. A page begins behind the last object of the one
/// before; where that is gone, at its number.
extension QueryPage {
    func write(
        _ stages: StagedQuery, after cursor: PageCursor?, to buffer: ByteBuffer,
        _ account: PageAccount
    ) throws(RequestFault) -> PageReply {
        let limits = view.queryLimits
        let (keys, execution) = try view.served.stored { () throws(StoreError) in
            try stages.run(in: read, limits: limits, isTimed: account.isAsked)
        }
        let first = Self.start(in: keys, after: cursor)
        let end = min(keys.count, first + query.limit)
        var writer = PageWriter(view, query, buffer)
        var count = 0
        for key in keys[first..<end] {
            let row = try view.served.stored { () throws(StoreError) in
                try read.find(query.rowClass, key: key)
            }
            guard let row, !writer.isTruncated else { continue }
            writer.write(row, key: key)
            count += 1
        }
        if writer.isTruncated { throw view.outOfMemory }
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
