import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectStore
import Query
import Rows
import StoreService

/// Runs an aggregate and writes the reply.
struct AggregateReply {
    let service: RESTService
    let query: CheckedAggregate
    let text: QueryText
    let read: ReadTransaction
    let names: SchemaNames
    let quotesLargeInts: Bool
    /// The request's path, for the address of the next page.
    let target: String

    /// What was done, for `explain`.
    private final class Account {
        private let rowClass: RowClass
        private let schema: RowSchema
        var plans: [FollowedPlan] = []
        var statistics: QueryExecution.Statistics?
        var steps: [QueryPage.Step] = []
        private var clock = monotonicMicroseconds()

        init(_ rowClass: RowClass, _ schema: RowSchema) {
            self.rowClass = rowClass
            self.schema = schema
        }

        /// Notes what an execution did, which is timed if any of this is to be told.
        func add(_ execution: QueryExecution, _ name: String, _ rows: Int) {
            guard execution.isTimed else { return }
            let now = monotonicMicroseconds()
            let followed = execution.followed
            let plan = PlanText(followed, rowClass, schema)
            steps += plan.stepsGivenUp
            clock += plan.microsecondsGivenUp
            steps.append(
                QueryPage.Step(name: plan.step(name), rows: rows, microseconds: now - clock))
            clock = now
            plans += followed
            let own = execution.statistics
            statistics?.rowsRead += own.rowsRead
            statistics?.entriesRead += own.entriesRead
            if statistics == nil { statistics = own }
        }
    }

    /// The query of all objects that are meant.
    private var objects: ObjectQuery {
        ObjectQuery(classIndex: query.rowClass.index, predicate: query.predicate)
    }

    /// The query whose first object has what the operation asks for, where it reads hardly more.
    private func extreme(_ operation: AggregateOperation) -> ObjectQuery? {
        guard query.by.isEmpty, query.stages == nil,
            case .values(let function, let path) = operation.kind,
            function == .min || function == .max, path.steps.isEmpty,
            case .value(let member) = path.terminal,
            let extreme = objects.extreme(of: member, isGreatest: function == .max, read.rows),
            query.predicate == nil || extreme.isBounded(in: read)
        else { return nil }
        return extreme
    }

    /// Whether no object has to be looked at but for a few that indexes name.
    var isShort: Bool {
        guard query.by.isEmpty, query.stages == nil, query.predicate == nil else { return false }
        return query.operations.allSatisfy { $0.kind == .count || extreme($0) != nil }
    }

    /// Writes the reply.
    ///
    /// - Throws: ``RequestFault`` for a cursor that does not fit, limits, or failing storage.
    func response() throws(RequestFault) -> Response {
        let cursor = try PageCursor.read(text, query: query.hash, epoch: read.epoch)
        let limits = service.served.queryLimits(of: read)
        let account = Account(query.rowClass, read.rows)
        let buffer = ByteBuffer(capacity: 1024)
        var writer = ObjectWriter(buffer, names: names, read: read, epoch: read.epoch)
        writer.quotesLargeInts = quotesLargeInts
        writer.byteCountMax = limits.memoryByteCountMax
        var next: String?
        if query.by.isEmpty {
            buffer.append("{")
            try writeTotals(&writer, limits, account)
        } else {
            buffer.append("{\"groups\":[")
            next = try writeGroups(&writer, after: cursor, limits, account)
        }
        if text.explains, let statistics = account.statistics {
            writer.json.raw(",\"explain\":")
            writer.json.explanation(
                PlanText(account.plans, query.rowClass, read.rows), statistics, account.steps,
                rowsReturned: account.steps.last?.rows ?? 0)
        }
        buffer.append("}")
        return try service.pageReply(buffer, of: read, next: next, at: target)
    }

    // MARK: Without groups

    private func writeTotals(
        _ writer: inout ObjectWriter, _ limits: QueryLimits, _ account: Account
    ) throws(RequestFault) {
        var results: [AggregateState.Result?] = []
        for operation in query.operations {
            guard let extreme = extreme(operation) else {
                results.append(nil)
                continue
            }
            results.append(try first(extreme, operation, limits, account))
        }
        let others = zip(query.operations, results).filter { $1 == nil }.map(\.0)
        var count = 0
        var sums: [AggregateState.Result] = []
        if others.contains(where: { $0.kind != .count }) {
            let aggregation = makeAggregation(others, after: nil, limits)
            try run(aggregation, limits, account)
            let all = aggregation.finish()
            count = all.first?.count ?? 0
            sums = all.first?.results ?? []
        } else if !others.isEmpty {
            count = try countAll(limits, account)
        }
        var left = sums[...]
        for (place, operation) in query.operations.enumerated() {
            if place > 0 { writer.json.comma() }
            writer.json.key(operation.name)
            if operation.kind == .count {
                writer.json.int(Int64(count))
            } else if let result = results[place] ?? left.popFirst() {
                try write(result, operation, &writer)
            }
        }
    }

    private func countAll(_ limits: QueryLimits, _ account: Account) throws(RequestFault) -> Int {
        if query.stages != nil {
            let aggregation = makeAggregation([], after: nil, limits)
            try run(aggregation, limits, account)
            return aggregation.finish().first?.count ?? 0
        }
        let execution = try service.served.stored { () throws(StoreError) in
            try QueryExecution(objects.counted, in: read, limits: limits)
        }
        execution.isTimed = text.explains
        let count: Int
        do throws(QueryExecution.Failure) { count = try execution.count() } catch {
            throw service.served.fault(error)
        }
        account.add(execution, "count", count)
        return count
    }

    /// The value of the first object of a query in the order of that value.
    private func first(
        _ extreme: ObjectQuery, _ operation: AggregateOperation, _ limits: QueryLimits,
        _ account: Account
    ) throws(RequestFault) -> AggregateState.Result {
        let execution = try service.served.stored { () throws(StoreError) in
            try QueryExecution(extreme, in: read, limits: limits)
        }
        execution.isTimed = text.explains
        let aggregation = makeAggregation([operation], after: nil, limits)
        do throws(QueryExecution.Failure) {
            try execution.run(limit: 1) { key, row in
                aggregation.add(row: row, key: key, source: read)
            }
        } catch {
            throw service.served.fault(error)
        }
        account.add(execution, "extreme", 1)
        return aggregation.finish().first?.results.first ?? .none
    }

    // MARK: Groups

    private func writeGroups(
        _ writer: inout ObjectWriter, after cursor: PageCursor?, _ limits: QueryLimits,
        _ account: Account
    ) throws(RequestFault) -> String? {
        let aggregation = makeAggregation(
            query.operations, after: cursor?.position.sortBytes, limits)
        try run(aggregation, limits, account)
        let groups = aggregation.finish()
        let readers = query.by.map { PathReader($0.path, schema: read.rows) }
        let json = writer.json
        for (place, group) in groups.prefix(query.limit).enumerated() {
            if place > 0 { json.comma() }
            json.raw("{\"by\":{")
            let row = try service.served.stored { () throws(StoreError) in
                try read.find(query.rowClass, key: group.key)
            }
            for (index, name) in query.byNames.enumerated() {
                if index > 0 { json.comma() }
                json.key(name)
                guard let row else {
                    json.null()
                    continue
                }
                readers[index].read(row: row, key: group.key, source: read) {
                    writer.write($0, readers[index].path)
                }
            }
            json.raw("}")
            var left = group.results[...]
            for operation in query.operations {
                json.comma()
                json.key(operation.name)
                if operation.kind == .count {
                    json.int(Int64(group.count))
                } else if let result = left.popFirst() {
                    try write(result, operation, &writer)
                }
            }
            json.raw("}")
            if writer.buffer.count > limits.memoryByteCountMax { throw outOfMemory }
        }
        json.raw("]")
        guard groups.count > query.limit else { return nil }
        let cursor = PageCursor(
            query: query.hash, epoch: read.epoch, returnedCount: 0,
            position: QueryPosition(sortBytes: groups[query.limit - 1].sortBytes, key: 0))
        json.raw(",\"next\":")
        let text = cursor.encoded()
        json.string(text)
        return text
    }

    // MARK: Running

    private func makeAggregation(
        _ operations: [AggregateOperation], after: [UInt8]?, _ limits: QueryLimits
    ) -> Aggregation {
        // One more than a page's tells whether there is a next one.
        Aggregation(
            operations, by: query.by, after: after, groupCountMax: query.limit + 1,
            byteCountMax: limits.memoryByteCountMax, schema: read.rows)
    }

    /// Hands every object that is meant to an aggregation.
    private func run(
        _ aggregation: Aggregation, _ limits: QueryLimits, _ account: Account
    ) throws(RequestFault) {
        var isFull = false
        var count = 0
        func take(_ key: UInt64, _ row: RowView) -> Bool {
            count += 1
            isFull = !aggregation.add(row: row, key: key, source: read)
            return !isFull
        }
        let execution: QueryExecution
        do throws(QueryExecution.Failure) {
            if let stages = query.stages {
                let keys: [UInt64]
                (keys, execution) = try stages.run(
                    in: read, limits: limits, isTimed: text.explains)
                try execution.forEach(keys, take)
            } else {
                execution = try makeExecution(limits)
                execution.isTimed = text.explains
                try execution.run(limit: .max, take)
            }
        } catch {
            throw service.served.fault(error)
        }
        if isFull { throw outOfMemory }
        account.add(execution, "aggregate", count)
    }

    private func makeExecution(_ limits: QueryLimits) throws(QueryExecution.Failure)
        -> QueryExecution
    {
        do throws(StoreError) {
            return try QueryExecution(objects, in: read, limits: limits)
        } catch {
            throw .store(error)
        }
    }

    private var outOfMemory: RequestFault { .queryMemory(service.served.limits) }

    private func write(
        _ result: AggregateState.Result, _ operation: AggregateOperation,
        _ writer: inout ObjectWriter
    ) throws(RequestFault) {
        switch result {
        case .none: writer.json.null()
        case .stored(let bytes, let storage):
            bytes.withUnsafeBytes { writer.write(stored: $0, storage) }
        case .beyondInt:
            throw RequestFault(
                .invalid, "sum-out-of-range",
                "The result of \(operation.name) is beyond 64 bits; ask for fewer objects, or for the "
                    + "average and the count.")
        }
    }
}
