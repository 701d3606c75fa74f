import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import ObjectStore
import Query
import Rows
import StoreService

/// What a request does to every object that its filter finds.
struct BulkChange {
    /// What is done to one object.
    enum Action {
        case merge(ObjectDraft)
        case patch(JSONPatch)
        case delete
    }

    var query: CheckedQuery
    var action: Action
}

extension RESTService {
    /// The parameters of a change by filter.
    private static let bulkParameters: [StaticString] = ["filter", "arg", "text", "all"]

    /// Takes in a change of all objects that a filter finds, as one transaction: `patchObjects` and
    /// `deleteObjects`.
    ///
    /// The objects are those that match in what the transaction sees, so that none is missed and none is
    /// changed that does not match any more: see ``BulkSearch``.
    func changeMatches(
        _ request: Request,
        _ action:
            @escaping @Sendable (RowClass, SchemaNames, RequestScratch) throws(RequestFault) ->
            BulkChange.Action
    ) -> Outcome {
        answering { () throws(RequestFault) in
            let parameters = try Parameters(
                request, known: Self.bulkParameters, repeatable: ["arg", "text"])
            let changesAll = try parameters.flag("all")
            guard parameters["filter"] != nil || changesAll else {
                throw .parameter(
                    "filter",
                    "State a 'filter', or all=true to change every object of the class.")
            }
            try request.requireAccepted("application/json")
            guard try Precondition(request) == .none else {
                throw RequestFault(
                    .malformed, "invalid-header",
                    "If-Match and If-None-Match are about one object; leave them out of a change by "
                        + "filter.")
            }
            let preferences = try Preferences(request)
            let text = try QueryText(request, parser: RequestScratch.current.parser)
            return reading(request) { () throws(RequestFault) in
                try self.once(request) { claim throws(RequestFault) in
                    let prepared = try PreparedRequest<BulkChange>(self.served) {
                        names, scratch throws(RequestFault) in
                        let rowClass = try self.objectClass(request, names)
                        return BulkChange(
                            query: try CheckedQuery(
                                text, of: rowClass, names: names, limits: self.served.limits),
                            action: try action(rowClass, names, scratch))
                    }
                    return self.takeIn(prepared, preferences.affectedCountMax, claim)
                }
            }
        }
    }

    private func takeIn(
        _ prepared: PreparedRequest<BulkChange>, _ affectedCountMax: Int?,
        _ claim: IdempotencyClaim?
    ) -> Outcome {
        .later { exchange in
            let isTaken = self.isScheduled(for: exchange) { job in
                do throws(RequestFault) {
                    let search = try self.served.withRead(in: job) { read throws(RequestFault) in
                        try self.search(prepared, affectedCountMax, read)
                    }
                    if job.isRestarted { return }
                    self.handIn(
                        self.write(prepared, search, affectedCountMax), exchange, claim)
                } catch {
                    if job.isRestarted { return }
                    claim?.release()
                    if job.mustNotAnswer { return exchange.abandon() }
                    exchange.respond(self.response(error))
                }
            }
            guard !isTaken else { return }
            claim?.release()
            exchange.respond(self.response(.tooBusy))
        }
    }

    /// Finds the objects in the last commit. A scheduler's thread.
    ///
    /// - Throws: ``RequestFault`` when there are too many, or the search takes too much: the reply, as of then.
    private func search(
        _ prepared: PreparedRequest<BulkChange>, _ affectedCountMax: Int?,
        _ read: ReadTransaction
    ) throws(RequestFault) -> BulkSearch? {
        let query = prepared.last.query
        do throws(WriteFailure) {
            // What was checked under another schema is searched for by the writer, under its own.
            guard read.rows === prepared.schema else { return nil }
            let keys = try matches(query, affectedCountMax, served.queryLimits(of: read), read)
            do throws(StoreError) {
                return try BulkSearch(query, keys: keys, in: read)
            } catch {
                throw .store(error)
            }
        } catch {
            switch error {
            case .store(let error): throw served.fault(error)
            case .problem(let problem): throw problem
            }
        }
    }

    private func write(
        _ prepared: PreparedRequest<BulkChange>, _ search: BulkSearch?, _ affectedCountMax: Int?
    ) -> RequestedWrite<Int> {
        RequestedWrite<Int>(
            run: { transaction throws(StoreError) in
                do throws(WriteFailure) {
                    let change: BulkChange
                    do throws(RequestFault) {
                        change = try prepared.plan(for: transaction)
                    } catch {
                        throw .problem(error)
                    }
                    // One time for all of it: no other write is made meanwhile.
                    let deadline = self.served.queryDeadline
                    let view = transaction.view()
                    let keys: [UInt64]
                    if let search,
                        let present = try self.keys(search, transaction, view, until: deadline)
                    {
                        try self.limit(present.count, affectedCountMax)
                        keys = present
                    } else {
                        var limits = self.served.queryLimits(of: view)
                        limits.deadlineMilliseconds = deadline
                        keys = try self.matches(change.query, affectedCountMax, limits, view)
                    }
                    for key in keys {
                        guard monotonicMilliseconds() < deadline else {
                            throw .problem(.writeTime(self.served.limits))
                        }
                        try self.apply(change, key, transaction)
                    }
                    return .made(keys.count)
                } catch {
                    switch error {
                    case .store(let error): throw error
                    case .problem(let problem): return .refused(problem)
                    }
                }
            },
            reply: { count, version, _ throws(RequestFault) in
                var response = Response.json(200) { json in
                    json.object { object in
                        object.member("affected").int(Int64(count))
                        object.member("version").string(version.description)
                    }
                }
                response.headers.addStoreVersion(version)
                if let affectedCountMax {
                    response.headers.add(
                        .preferenceApplied, "max-affected=\(affectedCountMax)")
                }
                return response
            },
            problem: { self.problem($0, of: prepared.last) },
            isLong: { _ in false })
    }

    /// What a search found, as the transaction sees it; nil where it has to be searched for anew.
    private func keys(
        _ search: BulkSearch, _ transaction: WriteTransaction, _ view: ReadTransaction,
        until deadline: UInt64
    ) throws(WriteFailure) -> [UInt64]? {
        let keys: [UInt64]?
        do throws(StoreError) {
            keys = try search.keys(in: transaction, view, until: deadline)
        } catch {
            throw .store(error)
        }
        if view.isLate { throw .problem(.late(view, served.limits)) }
        return keys
    }

    /// The keys of the objects that are to be changed.
    private func matches(
        _ query: CheckedQuery, _ affectedCountMax: Int?, _ limits: QueryLimits,
        _ view: ReadTransaction
    ) throws(WriteFailure) -> [UInt64] {
        if let stages = query.stages {
            return try matches(stages, affectedCountMax, view, limits)
        }
        let isCut = query.total != nil || !query.distinct.isEmpty
        let objects = ObjectQuery(
            classIndex: query.rowClass.index, predicate: query.predicate,
            sort: isCut ? query.sort : [],
            expectedCount: query.distinct.isEmpty ? query.total : nil)
        let countMax = store.options.operationCountMax
        var keys: [UInt64] = []
        var count = 0
        var distinct = DistinctFilter(
            query, view, after: nil, byteCountMax: limits.memoryByteCountMax)
        let total = query.total ?? .max
        do throws(QueryExecution.Failure) {
            let execution: QueryExecution
            do throws(StoreError) {
                execution = try QueryExecution(objects, in: view, limits: limits)
            } catch {
                throw .store(error)
            }
            try execution.run(limit: distinct == nil ? total : .max) { key, row in
                guard distinct?.takes(key, row) ?? true else { return true }
                if distinct?.isFull ?? false { return false }
                count += 1
                if count <= countMax { keys.append(key) }
                // Those that are too many are counted, so that the client learns how many match.
                return count < total && (affectedCountMax != nil || count <= countMax)
            }
        } catch {
            throw failure(error)
        }
        if distinct?.isFull ?? false { throw .problem(.queryMemory(served.limits)) }
        try limit(count, affectedCountMax)
        return keys
    }

    /// The keys of the objects that a query finds whose suffixes stand in an order of their own.
    private func matches(
        _ stages: StagedQuery, _ affectedCountMax: Int?, _ view: ReadTransaction,
        _ limits: QueryLimits
    ) throws(WriteFailure) -> [UInt64] {
        let keys: [UInt64]
        do throws(QueryExecution.Failure) {
            keys = try stages.run(in: view, limits: limits).keys
        } catch {
            throw failure(error)
        }
        try limit(keys.count, affectedCountMax)
        return keys
    }

    private func failure(_ failure: QueryExecution.Failure) -> WriteFailure {
        switch failure {
        case .store(let error): .store(error)
        case .time: .problem(.queryTime(served.limits))
        case .memory: .problem(.queryMemory(served.limits))
        case .pattern: .problem(.queryPattern)
        }
    }

    /// Refuses more changes than the client or the server allows.
    private func limit(_ count: Int, _ affectedCountMax: Int?) throws(WriteFailure) {
        if let affectedCountMax, count > affectedCountMax {
            throw .problem(.tooManyAffected(count, affectedCountMax))
        }
        let countMax = store.options.operationCountMax
        if count > countMax { throw .store(.tooManyOperations(limit: countMax)) }
    }

    private func apply(_ change: BulkChange, _ key: UInt64, _ transaction: WriteTransaction)
        throws(WriteFailure)
    {
        let rowClass = change.query.rowClass
        let row: RowView?
        do throws(StoreError) {
            row = try transaction.row(rowClass, key)
            // A change of another one may have taken this one along.
            if row != nil {
                switch change.action {
                case .merge(let draft): _ = try transaction.update(draft, key: key)
                case .delete: try transaction.delete(rowClass, key: key)
                case .patch: break
                }
            }
        } catch {
            throw .store(error)
        }
        if let row, case .patch(let patch) = change.action {
            _ = try apply(
                patch, to: rowClass, key: key, row: row, precondition: .none, transaction)
        }
    }

    /// The problem of a failed change. Each object has the same faults, which are told once.
    private func problem(_ error: StoreError, of change: BulkChange) -> RequestFault {
        guard error.pointsIntoObject else { return served.fault(error) }
        var seen: Set<String?> = []
        var problem = served.fault(error)
        if case .patch(let patch) = change.action { problem = problem.placed(by: patch) }
        problem.errors = problem.errors.filter { seen.insert($0.pointer).inserted }
        return problem
    }
}

extension RequestFault {
    /// More objects match than the client allows to be changed.
    fileprivate static func tooManyAffected(_ count: Int, _ limit: Int) -> RequestFault {
        RequestFault(
            .conflict, "max-affected-exceeded",
            "\(count) objects match and 'Prefer: max-affected' allows \(limit) to be changed; nothing was "
                + "changed.",
            errors: [
                RequestFault.Entry(
                    code: "max-affected-exceeded", detail: "\(count) objects match.",
                    parameter: "Prefer")
            ])
    }
}
