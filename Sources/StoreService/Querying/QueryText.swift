import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import HoldfastText

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
    /// Whether it stands in a body, so that faults have pointers.
    package var isInBody = false
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
    ) -> RequestFault {
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
                "limit",
                "'limit' is a number from 1 to \(limits.pageObjectCountMax). "
                    + Self.limitAdvice(limit),
                code: "limit-out-of-range")
        }
        return limit
    }

    /// The next step for a limit that no page has.
    package static func limitAdvice(_ limit: Int?) -> String {
        limit == 0
            ? "Only the number of objects: GET /v1/classes/{class}/aggregate?op=count."
            : "The next page has the 'next' of this one as 'cursor'. All objects of a class: GET "
                + "/v1/classes/{class}/export."
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
        var error = error
        if error.kind == .argument, let index = error.argumentIndex, index >= arguments.count {
            error.message +=
                isInBody
                ? "; send it in the array 'args'"
                : "; send it as 'arg' (JSON, such as arg=5) or 'text' (a plain string)"
        }
        return RequestFault(
            error, parameter: isInBody ? nil : name, pointer: isInBody ? "/\(name)" : nil)
    }

    /// Checks the filter and its arguments; nil without a filter.
    ///
    /// - `projection`: The projection of the objects, for the names in errors.
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
        } catch { throw fault(projection?.explaining(error, in: filter) ?? error, "filter") }
    }

    /// The most paths of a sort: their values stand in a cursor, which has to fit into a URL.
    package static let sortKeyCountMax = 16

    /// Checks a list of paths for `sort` or `distinct`; nil without a list.
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
        } catch { throw fault(projection?.explaining(error, in: list) ?? error, name) }
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

extension QueryText {
    /// Reads a query from a body, or from a part of one.
    ///
    /// - `byteCount`: The bytes of the whole body's text.
    /// - `known`: The members that the query may have.
    /// - `others`: Members beside it, which the caller reads.
    /// - `limits`: Bound the memory that arguments may use, as all that a query keeps.
    /// - Throws: ``RequestFault`` `.malformed` with every fault of the body.
    package init(
        body json: JSONValue, byteCount: Int, of known: [String] = Self.memberNames,
        beside others: [String] = [], within limits: ServiceLimits
    ) throws(RequestFault) {
        self.init()
        isInBody = true
        argumentByteCount = byteCount
        guard json.kind == .object else {
            throw RequestFault(
                .malformed, "invalid-body",
                "The body is a JSON object such as {\"filter\":\"age > $0\",\"args\":[30]}.")
        }
        var faults = FaultList()
        func wrong(_ name: String, _ expected: String) {
            faults.note(
                "invalid-parameter", "'\(name)' is \(expected).", at: JSONPointer().appending(name))
        }
        var seen: Set<String> = []
        for member in json.members {
            let name = String(decoding: member.name, as: UTF8.self)
            guard known.contains(name) || others.contains(name) else {
                faults.note(
                    "unknown-member", "A query has no member '\(name)'.",
                    at: JSONPointer().appending(name),
                    hint: ForeignParameter.counterpart(of: name, among: known + others)?.name
                        ?? NearestName.of(name, among: known + others))
                continue
            }
            if !seen.insert(name).inserted {
                faults.note(
                    "duplicate-name", "'\(name)' is stated twice.",
                    at: JSONPointer().appending(name))
                continue
            }
            let value = member.value
            if others.contains(name) { continue }
            if let (path, isList, expected) = Self.texts[name] {
                self[keyPath: path] = isList ? Self.list(value) : value.string
                let isNone = isList && name != "fields" && Self.isEmptyList(value)
                if self[keyPath: path] == nil, !isNone { wrong(name, expected) }
                continue
            }
            switch name {
            case "limit":
                limit = value.int64.flatMap { $0 >= 0 ? Int($0) : nil }
                if limit == nil { wrong(name, "a number of objects") }
            case "count":
                counts = value.string == "exact"
                if value.string != "exact", value.string != "none" {
                    wrong(name, "\"none\" or \"exact\"")
                }
            case "explain":
                explains = value.bool ?? false
                if value.bool == nil { wrong(name, "true or false") }
            case "args":
                if value.kind != .array { wrong(name, "an array") }
                let memory = limits.queryMemoryByteCountMax - byteCount
                let countMax =
                    max(0, memory) / (QueryArgument.byteCountOfValue + Self.parsedByteCount)
                guard ArgumentReader.valueCount(value, upTo: countMax + 1) <= countMax else {
                    throw .tooManyArguments(countMax, limits)
                }
                let budget = RequestScratch.current.budget
                for (index, element) in value.elements.enumerated() {
                    // Each may be a list of very many values.
                    guard budget.checkLimits() else {
                        throw .givenUp(budget.failure ?? .time, limits)
                    }
                    guard let argument = ArgumentReader.argument(element) else {
                        faults.note(
                            "invalid-argument",
                            ArgumentReader.exceededLimit(element)
                                ?? "An argument is a plain JSON value, a list of them, or a value with its "
                                + "type such as {\"$date\":\"…\"}.",
                            at: JSONPointer().appending("args").appending(index: index))
                        continue
                    }
                    arguments.append(argument)
                }
            default: continue
            }
        }
        guard faults.isEmpty else {
            throw .several(.malformed, "invalid-body", faults, "The query is refused.")
        }
    }

    /// The bytes that a value in an array takes as JSON that was parsed, with its comma.
    private static let parsedByteCount = 40

    /// The members that are texts, or lists that become one, and their expected forms.
    private static let texts:
        [String: (
            path: WritableKeyPath<QueryText, String?> & Sendable, isList: Bool, expected: String
        )] = [
            "filter": (\.filter, false, "a string such as \"name == 'Paris'\""),
            "sort": (\.sort, true, "a string such as \"-age,name\" or an array of paths"),
            "distinct": (\.distinct, true, "a string of paths or an array of them"),
            "fields": (\.fields, true, "a string of names or an array of them"),
            "expand": (\.expand, true, "a string of paths or an array of them"),
            "cursor": (\.cursor, false, "a string"), "geometry": (\.geometry, false, "a path"),
        ]

    /// The members of a query for a page.
    package static let memberNames = [
        "filter", "args", "sort", "distinct", "limit", "cursor", "fields", "expand", "count",
        "explain", "geometry",
    ]

    /// An array with nothing in it asks for nothing.
    private static func isEmptyList(_ json: JSONValue) -> Bool {
        json.kind == .array && json.count == 0
    }

    /// Text with commas, from a string or a filled array of strings.
    package static func list(_ json: JSONValue) -> String? {
        if let text = json.string { return text }
        guard json.kind == .array, json.count > 0 else { return nil }
        let parts = json.elements.compactMap(\.string)
        return parts.count == json.count ? parts.joined(separator: ",") : nil
    }
}
