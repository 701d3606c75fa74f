import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastRows
import HoldfastStoreService

/// The queries of a stream as a body states them: `{"queries": {"open": {"class": "Task", "filter": …}, "late": null}}`, with
/// `interval` beside them if the stream is made.
package struct StreamQueriesBody {
    package private(set) var added: [FollowedQuery] = []
    /// The names of the removed queries.
    package private(set) var removed: [String] = []
    /// Whether ints beyond 2^53 are sent as strings.
    let quotesLargeInts: Bool
    /// The time for which changes are folded into one event, in milliseconds.
    let intervalMilliseconds: Int

    /// The maximum bytes of a query's name.
    private static let nameByteCountMax = 100
    /// The parameters that pages have, too.
    private static let shared = ["filter", "args", "sort", "limit", "fields", "expand"]
    private static let own = ["class", "projection", "id", "keyPaths", "old"]

    /// Reads a body.
    ///
    /// - `byteCount`: The bytes of the body's text.
    /// - `patched`: The stream that the body changes, from which `null` removes a query; nil if a stream is made.
    /// - `caller`: The caller that follows the queries.
    /// - `quotesLargeInts`: Whether a new stream sends ints beyond 2^53 as strings.
    /// - Throws: ``RequestFault`` with every fault. Its kind is the first fault's.
    package init(
        _ json: JSONValue, byteCount: Int, of patched: QueryStream?, for caller: Caller,
        quotesLargeInts: Bool, _ served: ServedStore
    ) throws(RequestFault) {
        let isPatch = patched != nil
        let interval = isPatch ? nil : json.member(named: "interval")
        guard json.kind == .object, json.count == (interval == nil ? 1 : 2),
            let queries = json.member(named: "queries"), queries.kind == .object
        else {
            throw RequestFault(
                .malformed, "invalid-body",
                "The body is a JSON object with the queries by their names"
                    + (isPatch ? "" : ", optionally an 'interval' beside them,")
                    + " and nothing else, such as {\"queries\":{\"open\":{\"class\":\"Task\",\"filter\":\"done == false\"}}}."
            )
        }
        if queries.repeatedName != nil {
            throw .single(
                .malformed, "duplicate-name", "The name of a query is stated twice.",
                pointer: "/queries")
        }
        guard queries.count <= served.limits.streamQueryCountMax || isPatch else {
            throw .tooManyQueries(served.limits)
        }
        self.quotesLargeInts = patched?.quotesLargeInts ?? quotesLargeInts
        if let patched {
            intervalMilliseconds = patched.intervalMilliseconds
        } else {
            intervalMilliseconds = try Self.interval(interval)
        }
        let visibility = try served.visibility(of: caller)
        let names = served.names(of: visibility)
        var first: RequestFault?
        var faults = FaultList()
        for member in queries.members {
            let name = String(decoding: member.name, as: UTF8.self)
            let budget = RequestScratch.current.budget
            guard budget.checkLimits() else {
                throw .givenUp(budget.failure ?? .time, served.limits)
            }
            do throws(RequestFault) {
                if isPatch, member.value.isNull {
                    removed.append(name)
                    continue
                }
                guard added.count < served.limits.streamQueryCountMax else {
                    throw .tooManyQueries(served.limits)
                }
                guard (1...Self.nameByteCountMax).contains(name.utf8.count) else {
                    throw RequestFault(
                        .malformed, "invalid-body",
                        "The name of a query has from 1 to \(Self.nameByteCountMax) bytes.")
                }
                let definition = try definition(
                    member.value, name, byteCount: byteCount, names, served.limits)
                let checked = try definition.checked(names, served.limits, for: visibility)
                checked.observed.prepare(within: budget)
                if let failure = budget.failure { throw .givenUp(failure, served.limits) }
                added.append(FollowedQuery(name, checked, byteCount: byteCount / queries.count))
            } catch {
                first = first ?? error.ofQuery
                faults.note(error.placed(at: JSONPointer().appending("queries").appending(name)))
            }
        }
        if let first { throw first.first(of: faults) }
    }

    private static func interval(_ json: JSONValue?) throws(RequestFault) -> Int {
        guard let json else { return 0 }
        guard let interval = json.exactInt64.flatMap({ Int(exactly: $0) }),
            StreamDefinition.intervals.contains(interval)
        else {
            throw .single(
                .malformed, "invalid-parameter", StreamDefinition.intervalRule, pointer: "/interval"
            )
        }
        return interval
    }

    private func definition(
        _ json: JSONValue, _ name: String, byteCount: Int, _ names: SchemaNames,
        _ limits: ServiceLimits
    ) throws(RequestFault) -> StreamDefinition {
        let text = try QueryText(
            body: json, byteCount: byteCount, of: Self.shared, beside: Self.own, within: limits)
        if text.limit != nil, text.sort == nil {
            throw text.fault(
                "limit",
                "'limit' needs 'sort' beside it; a query without 'sort' reports all objects that match."
            )
        }
        var keyPaths: String?
        if let stated = json.member(named: "keyPaths") {
            keyPaths = QueryText.list(stated)
            if keyPaths == nil {
                throw text.fault("keyPaths", "'keyPaths' is a string of paths or an array of them.")
            }
        }
        let old = json.member(named: "old")
        guard let tellsOld = old.map(\.bool) ?? false else {
            throw text.fault("old", "'old' is true or false.")
        }
        try text.requireLengths(limits, beside: [("keyPaths", keyPaths)])
        return StreamDefinition(
            of: try Self.target(json, text, names), text,
            EventOptions(keyPaths: keyPaths, tellsOld: tellsOld, query: name),
            quotesLargeInts: quotesLargeInts,
            result: text.sort.map { .list(sort: $0, limit: text.limit) },
            intervalMilliseconds: intervalMilliseconds)
    }

    private static func target(
        _ json: JSONValue, _ text: QueryText, _ names: SchemaNames
    ) throws(RequestFault) -> StreamDefinition.Target {
        let id = json.member(named: "id")
        if id != nil, text.filter != nil || text.sort != nil {
            throw text.fault(
                text.filter == nil ? "sort" : "filter",
                "A query has an 'id', or a 'filter' or 'sort', but not both: leave one out."
            )
        }
        func key(_ rowClass: RowClass) throws(RequestFault) -> Value? {
            try id.map { id throws(RequestFault) in
                guard let key = KeyText.value(id, of: rowClass) else {
                    throw KeyText.wrongType(rowClass)
                }
                return key
            }
        }
        switch (json.member(named: "class")?.string, json.member(named: "projection")?.string) {
        case (let name?, nil) where json.member(named: "projection") == nil:
            let rowClass = try names.objectClass(named: name)
            return try key(rowClass).map { .object(className: name, key: $0) }
                ?? .objects(className: name)
        case (nil, let name?) where json.member(named: "class") == nil:
            return .projection(name: name, key: try key(names.projection(named: name).rowClass))
        default:
            throw text.fault(
                "class", "A query has the name of a 'class', or that of a 'projection'.",
                code: "invalid-body")
        }
    }
}

extension RequestFault {
    /// The faults of a part of a body, as faults of the body.
    fileprivate func placed(at pointer: JSONPointer) -> [Entry] {
        (errors.isEmpty ? [Entry(code: code, detail: detail)] : errors).map { entry in
            var entry = entry
            let part = entry.pointer ?? entry.parameter.map { "/\($0)" } ?? ""
            entry.pointer = pointer.description + part
            entry.parameter = nil
            return entry
        }
    }

    /// The fault of a stream's query. The request itself is supported, whichever classes its queries name.
    var ofQuery: RequestFault {
        guard kind == .unsupportedOperation else { return self }
        var fault = self
        fault.kind = .invalid
        fault.alternatives = nil
        return fault
    }
}
