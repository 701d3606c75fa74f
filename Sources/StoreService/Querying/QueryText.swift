import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows

/// A query as a client states it, in the parameters of a URL or in a body, before it is checked.
package struct QueryText: Sendable {
    package var filter: String?
    package var arguments: [QueryArgument] = []
    package var sort: String?
    package var distinct: String?
    package var limit: Int?
    /// Where the page begins, without the ``snapshot`` and the ``seal`` that a cursor which is set may have.
    package var cursor: String? {
        get { unpinnedCursor.map { String($0[..<CursorSeal.start(in: $0)]) } }
        set { statedCursor = newValue }
    }
    private var unpinnedCursor: String? {
        statedCursor.flatMap(SnapshotPin.divide)?.cursor ?? statedCursor
    }
    /// The seal of the cursor's owner; nil for a cursor without one.
    var seal: String? {
        guard let cursor = unpinnedCursor else { return nil }
        let start = CursorSeal.start(in: cursor)
        return start == cursor.endIndex ? nil : String(cursor[start...].dropFirst())
    }
    private var statedCursor: String?
    /// The id of the snapshot that the cursor goes on under.
    package var snapshot: String? { statedCursor.flatMap(SnapshotPin.divide)?.id }
    package var fields: String?
    package var expand: String?
    /// `geometry`: the path to the point that stands for an object in GeoJSON.
    package var geometry: String?
    package var counts = false
    package var explains = false
    /// Whether it stands in a body, whose faults have pointers.
    package var isInBody = false
    /// The time of the request.
    private let requestTime = Timestamp.now()

    /// Makes a query that asks for everything.
    package init() {}

    /// The value of `now()`: the time of the request, or of the first of the pages that a cursor goes on with.
    package var now: Timestamp { cursor.flatMap { PageCursor($0) }?.query.now ?? requestTime }

    /// The number of bytes of the arguments' text, or of the whole body.
    package var argumentByteCount = 0
    /// Whether compiling it holds up a connection's thread.
    package var isLong: Bool {
        (filter?.utf8.count ?? 0) + argumentByteCount > Self.inlineByteCountMax
    }
    /// The largest number of bytes of a text that is compiled on a connection's thread.
    package static let inlineByteCountMax = 4 << 10

    /// Where the named part stands, for a fault.
    package func fault(
        _ name: String, _ detail: String, code: String = "invalid-parameter", column: Int? = nil
    )
        -> RequestFault
    {
        .single(
            .malformed, code, detail, pointer: isInBody ? "/\(name)" : nil,
            parameter: isInBody ? nil : name, column: column)
    }

    /// Refuses parts, and `others` beside them, that are longer than a query's text may be.
    ///
    /// - `others`: Names and texts of parts that only some operations take.
    /// - Throws: ``RequestFault`` `.malformed` that names the part.
    package func requireLengths(
        _ limits: ServiceLimits, beside others: [(name: String, text: String?)] = []
    ) throws(RequestFault) {
        let own: [(name: String, text: String?)] = [
            ("filter", filter), ("sort", sort), ("distinct", distinct), ("fields", fields),
            ("expand", expand), ("geometry", geometry),
        ]
        let byteCountMax = limits.queryTextByteCountMax
        for (name, text) in others + own where text?.utf8.count ?? 0 > byteCountMax {
            throw fault(
                name, "'\(name)' is longer than \(byteCountMax) bytes.", code: "query-too-long")
        }
    }

    /// How many objects or groups a page has.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for fewer than one, or more than allowed.
    package func pageLimit(_ limits: ServiceLimits) throws(RequestFault) -> Int {
        guard let limit else { return limits.pageObjectCountDefault }
        guard (1...limits.pageObjectCountMax).contains(limit) else {
            throw fault(
                "limit", "'limit' is a number from 1 to \(limits.pageObjectCountMax).",
                code: "limit-out-of-range")
        }
        return limit
    }

    /// A fault of `fields` or `expand`, which of a body has a pointer.
    package func placed(_ fault: RequestFault) -> RequestFault {
        guard isInBody else { return fault }
        var fault = fault
        for index in fault.errors.indices {
            guard let name = fault.errors[index].parameter else { continue }
            fault.errors[index].pointer = "/\(name)"
            fault.errors[index].parameter = nil
        }
        return fault
    }

    /// The fault of a query error in the named part.
    package func fault(_ error: QueryError, _ name: String) -> RequestFault {
        RequestFault(error, parameter: isInBody ? nil : name, pointer: isInBody ? "/\(name)" : nil)
    }

    /// Checks the filter and its arguments; nil where there is none.
    ///
    /// - `projection`: What the objects are shown by, for the names in errors.
    /// - `hasTime`: Whether `now()` stands for ``now``; it is refused where a query outlives its request.
    /// - Throws: ``RequestFault`` `.malformed` with the column.
    package func compiledFilter(
        _ root: QueryRoot, _ schema: RowSchema, _ projection: CompiledProjection? = nil,
        hasTime: Bool = true
    ) throws(RequestFault) -> CompiledQuery? {
        guard let filter else {
            if arguments.isEmpty { return nil }
            throw fault(
                isInBody ? "args" : "arg", "Arguments are given, but no filter that uses them.")
        }
        do throws(QueryError) {
            return try CompiledQuery.compile(
                text: filter, arguments: arguments, root: root, schema: schema,
                within: RequestScratch.current.budget, now: { hasTime ? now : nil })
        } catch {
            throw fault(projection?.explaining(error, in: filter) ?? error, "filter")
        }
    }

    /// The most paths of a sort: their values stand in a cursor, which has to fit into a URL.
    package static let sortKeyCountMax = 16

    /// Checks a list of paths to sort or be distinct by; nil where none is stated.
    ///
    /// - `name`: The part of the query that it is.
    /// - Throws: ``RequestFault`` `.malformed` with the column, or for too many.
    func keys(
        _ list: String?, _ name: String, _ root: QueryRoot, _ schema: RowSchema,
        _ projection: CompiledProjection? = nil
    ) throws(RequestFault) -> [SortKey]? {
        guard let list else { return nil }
        let keys: [SortKey]
        do throws(QueryError) {
            keys = try SortKey.parse(
                list: list, clause: name, root: root, schema: schema,
                within: RequestScratch.current.budget)
        } catch {
            throw fault(projection?.explaining(error, in: list) ?? error, name)
        }
        try requireFew(keys, name)
        return keys
    }

    /// Refuses more paths than a cursor has room for.
    func requireFew(_ keys: [SortKey], _ name: String) throws(RequestFault) {
        guard keys.count > Self.sortKeyCountMax else { return }
        throw fault(
            name, "A query has at most \(Self.sortKeyCountMax) paths to sort or be distinct by.")
    }
}
