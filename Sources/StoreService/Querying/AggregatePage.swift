import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// Runs an aggregate and writes it, or a page of its groups.
package struct AggregatePage {
    let view: PageView
    let query: CheckedAggregate
    let account: PageAccount
    private let text: QueryText

    package init(view: PageView, query: CheckedAggregate, text: QueryText) {
        self.view = view
        self.query = query
        self.text = text
        account = view.account(text, of: query.rowClass)
    }

    private var read: ReadTransaction { view.read }
    private var limits: QueryLimits { view.queryLimits }

    /// The query of all objects that are meant.
    private var objects: ObjectQuery {
        ObjectQuery(classIndex: query.rowClass.index, predicate: query.predicate)
    }

    /// The query with a first object that has the result of the operation, if it reads hardly more.
    private func extreme(_ operation: AggregateOperation) -> ObjectQuery? {
        guard query.by.isEmpty, query.stages == nil,
            case .values(let function, let path) = operation.kind,
            function == .min || function == .max, let member = path.ownMember,
            let extreme = objects.extreme(of: member, isGreatest: function == .max, read.rows),
            query.predicate == nil && !read.showsPart || extreme.isBounded(in: read)
        else { return nil }
        return extreme
    }

    /// Whether no object has to be looked at but for a few that indexes name.
    var isShort: Bool {
        guard query.by.isEmpty, query.stages == nil, query.predicate == nil,
            !read.mayHideObjects(of: query.rowClass)
        else { return false }
        return query.operations.allSatisfy { $0.kind == .count || extreme($0) != nil }
    }

    /// Writes the reply.
    ///
    /// - Throws: ``RequestFault`` for a cursor that does not fit, limits, or failing storage.
    package func write(to buffer: ByteBuffer) throws(RequestFault) -> PageReply {
        let cursor = try view.cursor(text, query.hash)
        var writer = view.objectWriter(buffer)
        var next: PageCursor?
        if query.by.isEmpty {
            buffer.append("{")
            try writeTotals(&writer)
        } else {
            buffer.append("{\"groups\":[")
            next = try writeGroups(&writer, after: cursor)
        }
        return try view.end(writer.json, next: next, account, rowsReturned: nil)
    }

    // MARK: Without groups

    private func writeTotals(_ writer: inout ObjectWriter) throws(RequestFault) {
        var results: [AggregateState.Result?] = []
        for operation in query.operations {
            guard let extreme = extreme(operation) else {
                results.append(nil)
                continue
            }
            results.append(try first(extreme, operation))
        }
        let others = zip(query.operations, results).filter { $1 == nil }.map(\.0)
        var count = 0
        var sums: [AggregateState.Result] = []
        if others.contains(where: { $0.kind != .count }) {
            let all = try groups(of: makeAggregation(others, after: nil)).first
            count = all?.count ?? 0
            sums = all?.results ?? []
        } else if !others.isEmpty {
            count = try countAll()
        }
        var left = sums[...]
        for (index, operation) in query.operations.enumerated() {
            if index > 0 { writer.json.comma() }
            writer.json.key(operation.name)
            if operation.kind == .count {
                writer.json.int(Int64(count))
            } else if let result = results[index] ?? left.popFirst() {
                try write(result, operation, &writer)
            }
        }
    }

    private func countAll() throws(RequestFault) -> Int {
        if query.stages != nil {
            return try groups(of: makeAggregation([], after: nil)).first?.count ?? 0
        }
        let execution = try view.execution(objects.counted, limits, account)
        let count = try view.served.mappingStoreErrors(execution.count())
        account.add(execution, "count", count)
        return count
    }

    /// The value of the first object of a query in the order of that value.
    private func first(
        _ extreme: ObjectQuery, _ operation: AggregateOperation
    ) throws(RequestFault) -> AggregateState.Result {
        let execution = try view.execution(extreme, limits, account)
        let grouped = try view.served.mappingStoreErrors(
            execution.groups(of: makeAggregation([operation], after: nil), limit: 1))
        account.add(execution, "extreme", 1)
        return grouped?.groups.first?.results.first ?? .none
    }

    // MARK: Groups

    private func writeGroups(
        _ writer: inout ObjectWriter, after cursor: PageCursor?
    ) throws(RequestFault) -> PageCursor? {
        let selection = query.selection
        let after = cursor?.position.sortBytes
        let all = try groups(of: makeAggregation(query.operations, after: after))
        let selected = try known { () throws(GroupFigure.Overflow) in
            // One more than a page's shows whether there is a next one.
            try selection.first(
                of: all, after: after, countMax: query.limit + 1, within: read.budget)
        }
        guard let groups = selected else {
            throw .givenUp(read.budget.failure ?? .time, view.served.limits)
        }
        let evaluator = GroupKeyEvaluator(query.by, schema: read.rows)
        let json = writer.json
        for (index, group) in groups.prefix(query.limit).enumerated() {
            if index > 0 { json.comma() }
            json.raw("{\"by\":{")
            let row = try view.served.mappingStoreErrors(read.find(query.rowClass, key: group.key))
            let values = row.map { evaluator.values(of: group, row: $0, source: read) }
            for (index, name) in query.byNames.enumerated() {
                if index > 0 { json.comma() }
                json.key(name)
                write(values?[index], &writer)
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
            try view.served.mappingStoreErrors(writer.finish())
        }
        json.raw("]")
        guard groups.count > query.limit else { return nil }
        return PageCursor(
            query: query.hash, epoch: read.epoch, returnedCount: 0,
            position: QueryPosition(
                sortBytes: try known { () throws(GroupFigure.Overflow) in
                    try selection.position(of: groups[query.limit - 1])
                }, key: 0))
    }

    private func known<Result>(
        _ body: () throws(GroupFigure.Overflow) -> Result
    ) throws(RequestFault) -> Result {
        do throws(GroupFigure.Overflow) {
            return try body()
        } catch {
            throw Self.beyondInt(error.name)
        }
    }

    // MARK: Running

    private func makeAggregation(
        _ operations: [AggregateOperation], after: [UInt8]?
    ) -> Aggregation {
        Aggregation(
            operations, by: query.by,
            page: GroupPage(of: query.selection, after: after, countMax: query.limit + 1),
            byteCountMax: limits.memoryByteCountMax, schema: read.rows)
    }

    /// The groups of all objects that are meant.
    private func groups(of aggregation: Aggregation) throws(RequestFault) -> [Aggregation.Group] {
        let execution: QueryExecution
        let grouped: QueryExecution.Grouped?
        if let stages = query.stages {
            let found = try view.served.mappingStoreErrors(
                stages.run(in: read, limits: limits, isTimed: account.isAsked))
            execution = found.execution
            grouped = try view.served.mappingStoreErrors(
                execution.groups(of: aggregation, found.keys))
        } else {
            execution = try view.execution(objects, limits, account)
            grouped = try view.served.mappingStoreErrors(execution.groups(of: aggregation))
        }
        guard let grouped else { throw .groupMemory(view.served.limits) }
        account.add(execution, "aggregate", grouped.objectCount)
        return grouped.groups
    }

    private func write(_ value: GroupKeyEvaluator.Shown?, _ writer: inout ObjectWriter) {
        switch value {
        case .value(let bytes?, let path)?: bytes.withUnsafeBytes { writer.write($0, path) }
        case .calculated(.stored(let bytes, let storage))?:
            bytes.withUnsafeBytes { writer.write(stored: $0, storage) }
        case nil, .value(nil, _)?, .calculated?: writer.json.null()
        }
    }

    private func write(
        _ result: AggregateState.Result, _ operation: AggregateOperation,
        _ writer: inout ObjectWriter
    ) throws(RequestFault) {
        switch result {
        case .none: writer.json.null()
        case .stored(let bytes, let storage):
            bytes.withUnsafeBytes { writer.write(stored: $0, storage) }
        case .beyondInt: throw Self.beyondInt(operation.name)
        }
    }

    private static func beyondInt(_ name: String) -> RequestFault {
        RequestFault(
            .invalid, "sum-out-of-range",
            "The result of \(name) is beyond 64 bits; ask for fewer objects, or for the average and the "
                + "count.")
    }
}

/// An aggregate as a client states it beside the query, before it is checked.
package struct AggregateText: Hashable, Sendable {
    /// `op`: the operations on all objects, or on each group; nil for the count.
    @Exact package var operations: String?
    /// `by`: the common values of a group's objects; nil without groups.
    @Exact package var by: String?
    /// `having`: the condition on the results of a group.
    @Exact package var having: String?
    /// `order`: which groups come first.
    @Exact package var order: String?
    /// `tz`: in which zone parts of dates are read; nil for UTC.
    @Exact package var timeZone: String?

    package init(
        operations: String? = nil, by: String? = nil, having: String? = nil, order: String? = nil,
        timeZone: String? = nil
    ) {
        _operations = Exact(operations)
        _by = Exact(by)
        _having = Exact(having)
        _order = Exact(order)
        _timeZone = Exact(timeZone)
    }

    /// Its parts with their names in a request.
    var parts: [(name: String, text: String?)] {
        [("op", operations), ("by", by), ("having", having), ("order", order), ("tz", timeZone)]
    }
}
