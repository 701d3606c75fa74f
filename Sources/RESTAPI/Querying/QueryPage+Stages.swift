import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectStore
import Query
import Rows
import StoreService

/// Pages of a query whose SORT, DISTINCT and LIMIT stand in another order than the usual one.
///
/// The result is computed as a whole for each page. A page begins behind the last object of the one
/// before; where that is gone, at its number.
extension QueryPage {
    func stagedResponse(
        _ stages: StagedQuery, after cursor: PageCursor?, _ limits: QueryLimits
    ) throws(RequestFault) -> Response {
        let start = monotonicMicroseconds()
        let keys: [UInt64]
        let execution: QueryExecution
        do throws(QueryExecution.Failure) {
            (keys, execution) = try stages.run(
                in: read, limits: limits, isTimed: text.explains)
        } catch {
            throw service.served.fault(error)
        }
        let first = Self.start(in: keys, after: cursor)
        let end = min(keys.count, first + query.limit)
        let buffer = ByteBuffer(capacity: 4096)
        var writer = PageWriter(self, buffer)
        var count = 0
        for key in keys[first..<end] {
            let row = try service.served.stored { () throws(StoreError) in
                try read.find(query.rowClass, key: key)
            }
            guard let row, !writer.isTruncated else { continue }
            writer.write(row, key: key)
            count += 1
        }
        if writer.isTruncated { throw outOfMemory }
        writer.endObjects()
        let json = JSONWriter(buffer)
        var next: String?
        if end < keys.count, end > first {
            let cursor = PageCursor(
                query: query.hash, epoch: read.epoch, returnedCount: UInt64(end),
                position: QueryPosition(sortBytes: [], key: keys[end - 1]))
            let text = cursor.encoded()
            next = text
            if writer.hasMembers {
                json.raw(",\"next\":")
                json.string(text)
            }
        }
        if text.counts {
            json.raw(",\"count\":")
            json.int(Int64(keys.count))
        }
        if text.explains {
            let followed = execution.followed
            let plan = PlanText(followed, query.rowClass, read.rows)
            let givenUp = plan.microsecondsGivenUp
            let own = Step(
                name: plan.step("objects"), rows: keys.count,
                microseconds: monotonicMicroseconds() - start - givenUp)
            write(
                followed, execution.statistics, plan.stepsGivenUp + [own], rowsReturned: count,
                to: json)
        }
        writer.end()
        return try reply(buffer, next: next)
    }

    private static func start(in keys: [UInt64], after cursor: PageCursor?) -> Int {
        guard let cursor else { return 0 }
        if let place = keys.firstIndex(of: cursor.position.key) { return place + 1 }
        return min(keys.count, Int(clamping: cursor.returnedCount))
    }
}
