import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectStore
import Query
import Rows
import StoreService

/// Runs a query for one page and writes the reply.
struct QueryPage {
    let service: RESTService
    let query: CheckedQuery
    let text: QueryText
    let read: ReadTransaction
    let names: SchemaNames
    let quotesLargeInts: Bool
    /// The request's path, for the address of the next page; nil where there is none.
    let target: String?

    /// What happened at one stage, for `explain`.
    struct Step {
        var name: String
        /// How many objects the stage gave; of a plan that was given up how many rows it read.
        var rows: Int
        var microseconds: UInt64
    }

    /// Writes the page.
    ///
    /// - Throws: ``RequestFault`` for a cursor that does not fit, limits, or failing storage.
    func response() throws(RequestFault) -> Response {
        let cursor = try PageCursor.read(text, query: query.hash, epoch: read.epoch)
        if cursor != nil, !query.canPage {
            throw text.fault(
                "distinct",
                "A list with 'distinct' has pages only when its sort begins with the same paths.")
        }
        var steps: [Step] = []
        var clock = monotonicMicroseconds()
        func lap(_ name: String, _ rows: Int) {
            guard text.explains else { return }
            let now = monotonicMicroseconds()
            steps.append(Step(name: name, rows: rows, microseconds: now - clock))
            clock = now
        }
        let limits = service.served.queryLimits(of: read)
        if let stages = query.stages {
            return try stagedResponse(stages, after: cursor, limits)
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
        let objects = ObjectQuery(
            classIndex: query.rowClass.index, predicate: query.predicate, sort: query.sort,
            after: cursor?.position,
            expectedCount: query.distinct.isEmpty ? addingOne(wanted) : nil)
        let execution = try service.served.stored { () throws(StoreError) in
            try QueryExecution(objects, in: read, limits: limits)
        }
        lap("plan", 0)
        execution.isTimed = text.explains
        let buffer = ByteBuffer(capacity: 4096)
        var writer = PageWriter(self, buffer)
        var count = 0
        var last: QueryPosition?
        var hasMore = false
        // One more than wanted tells whether there is a next page.
        var distinct = DistinctFilter(
            query, read, after: cursor?.position,
            byteCountMax: limits.memoryByteCountMax)
        try run(execution, limit: query.distinct.isEmpty ? addingOne(wanted) : .max) { key, row in
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
        if writer.isTruncated || distinct?.isFull ?? false { throw outOfMemory }
        let statistics = execution.statistics
        writer.endObjects()
        let followed = text.explains ? execution.followed : []
        if text.explains {
            let plan = PlanText(followed, query.rowClass, read.rows)
            steps += plan.stepsGivenUp
            // What the plans given up have taken stands in their own steps.
            clock += plan.microsecondsGivenUp
            lap(plan.step("objects"), count)
        }
        let json = JSONWriter(buffer)
        var next: String?
        if hasMore, let last, query.canPage {
            let cursor = PageCursor(
                query: query.hash, epoch: read.epoch, returnedCount: UInt64(returnedBefore + count),
                position: last)
            let text = cursor.encoded()
            next = text
            if writer.hasMembers {
                json.raw(",\"next\":")
                json.string(text)
            }
        }
        if text.counts {
            json.raw(",\"count\":")
            let (total, followed) = try countAll(objects, limits)
            json.int(Int64(total))
            if text.explains {
                let plan = PlanText(followed, query.rowClass, read.rows)
                steps += plan.stepsGivenUp
                clock += plan.microsecondsGivenUp
                lap(plan.step("count"), total)
            }
        }
        if text.explains {
            write(followed, statistics, steps, rowsReturned: count, to: json)
        }
        writer.end()
        return try reply(buffer, next: next)
    }

    func reply(_ buffer: ByteBuffer, next: String?) throws(RequestFault) -> Response {
        var response = try service.pageReply(
            buffer, query.form.list.contentType, of: read, next: next, at: target)
        response.headers.add(.vary, "Accept" as StaticString)
        return response
    }

    private func addingOne(_ count: Int) -> Int { count == .max ? count : count + 1 }

    var outOfMemory: RequestFault { .queryMemory(service.served.limits) }

    private func run(
        _ execution: QueryExecution, limit: Int, _ body: (UInt64, RowView) -> Bool
    ) throws(RequestFault) {
        do throws(QueryExecution.Failure) { try execution.run(limit: limit, body) } catch {
            throw service.served.fault(error)
        }
    }

    /// How many objects the whole result has.
    private func countAll(
        _ objects: ObjectQuery, _ limits: QueryLimits
    ) throws(RequestFault) -> (count: Int, followed: [FollowedPlan]) {
        var all = objects
        all.after = nil
        all.expectedCount = nil
        if query.distinct.isEmpty { all = objects.counted }
        let execution = try service.served.stored { () throws(StoreError) in
            try QueryExecution(all, in: read, limits: limits)
        }
        execution.isTimed = text.explains
        var count = 0
        if query.distinct.isEmpty {
            do throws(QueryExecution.Failure) { count = try execution.count() } catch {
                throw service.served.fault(error)
            }
        } else {
            var distinct = DistinctFilter(
                query, read, after: nil, byteCountMax: limits.memoryByteCountMax)
            try run(execution, limit: .max) { key, row in
                if distinct?.takes(key, row) ?? true { count += 1 }
                return !(distinct?.isFull ?? false)
            }
            if distinct?.isFull ?? false { throw outOfMemory }
        }
        return (min(count, query.total ?? count), text.explains ? execution.followed : [])
    }

    func write(
        _ plans: [FollowedPlan], _ statistics: QueryExecution.Statistics, _ steps: [Step],
        rowsReturned count: Int, to json: JSONWriter
    ) {
        json.raw(",\"explain\":")
        json.explanation(
            PlanText(plans, query.rowClass, read.rows), statistics, steps, rowsReturned: count)
    }
}
