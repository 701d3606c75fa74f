import HTTPServer
import JSON
import ObjectJSON
import ObjectModel
import Query
import Rows
import StoreService

/// A query as a client states it, in the parameters of a URL or in a body, before it is checked.
struct QueryText: Sendable {
    var filter: String?
    var arguments: [QueryArgument] = []
    var sort: String?
    var distinct: String?
    var limit: Int?
    var cursor: String?
    var fields: String?
    var expand: String?
    /// `geometry`: the path to the point that stands for an object in GeoJSON.
    var geometry: String?
    var counts = false
    var explains = false
    /// Whether it stands in a body, whose faults have pointers.
    var isInBody = false
    /// The time of the request.
    private let requestTime = Timestamp.now()

    /// What `now()` stands for: the time of the request, or of the first of the pages that a cursor goes on with.
    var now: Timestamp { cursor.flatMap { PageCursor($0) }?.query.now ?? requestTime }

    /// Whether compiling it holds up a connection's thread.
    var isLong: Bool { (filter?.utf8.count ?? 0) > Self.inlineByteCountMax }
    private static let inlineByteCountMax = 4 << 10

    /// Where the named part stands, for a fault.
    func fault(
        _ name: String, _ detail: String, code: String = "invalid-parameter", column: Int? = nil
    )
        -> RequestFault
    {
        RequestFault(
            .malformed, code, detail,
            errors: [
                RequestFault.Entry(
                    code: code, detail: detail, pointer: isInBody ? "/\(name)" : nil,
                    parameter: isInBody ? nil : name, column: column)
            ])
    }

    /// Refuses parts, and `others` beside them, that are longer than a query's text may be.
    ///
    /// - `others`: Names and texts of parts that only some operations take.
    /// - Throws: ``RequestFault`` `.malformed` that names the part.
    func requireLengths(
        _ limits: ServiceLimits, beside others: [(name: String, text: String?)] = []
    ) throws(RequestFault) {
        for (name, text) in others { try requireLength(name, text, limits) }
        try requireLength("filter", filter, limits)
        try requireLength("sort", sort, limits)
        try requireLength("distinct", distinct, limits)
        try requireLength("fields", fields, limits)
        try requireLength("expand", expand, limits)
        try requireLength("geometry", geometry, limits)
    }

    private func requireLength(
        _ name: String, _ text: String?, _ limits: ServiceLimits
    ) throws(RequestFault) {
        guard let text, text.utf8.count > limits.queryTextByteCountMax else { return }
        throw fault(
            name, "'\(name)' is longer than \(limits.queryTextByteCountMax) bytes.",
            code: "query-too-long")
    }

    /// A problem of `fields` or `expand`, which of a body has a pointer.
    func placed(_ problem: RequestFault) -> RequestFault {
        guard isInBody else { return problem }
        var problem = problem
        for index in problem.errors.indices {
            guard let name = problem.errors[index].parameter else { continue }
            problem.errors[index].pointer = "/\(name)"
            problem.errors[index].parameter = nil
        }
        return problem
    }

    /// The problem of a query error in the named part.
    func problem(_ error: QueryError, _ name: String) -> RequestFault {
        RequestFault(error, parameter: isInBody ? nil : name, pointer: isInBody ? "/\(name)" : nil)
    }
}

extension QueryText {
    /// The names of the parameters that may be stated once.
    private static let singleNames: [StaticString] = [
        "filter", "sort", "distinct", "limit", "cursor", "fields", "expand", "count", "explain",
        "geometry",
    ]

    /// Reads a query from the parameters of a URL; other names are left to the caller.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a malformed or repeated parameter.
    init(_ request: Request, parser: JSONParser) throws(RequestFault) {
        var seen: UInt32 = 0
        for (name, value) in request.query {
            if name == "arg" {
                arguments.append(try Self.argument(value, parser))
                continue
            }
            if name == "text" {
                arguments.append(QueryArgument(text: value.string))
                continue
            }
            guard let place = Self.singleNames.firstIndex(where: { name == $0 }) else { continue }
            let known = name.string
            guard seen & 1 << UInt32(place) == 0 else {
                throw .parameter(known, "'\(known)' is stated twice; state it once.")
            }
            seen |= 1 << UInt32(place)
            switch known {
            case "filter": filter = value.string
            case "sort": sort = value.string
            case "distinct": distinct = value.string
            case "cursor": cursor = value.string
            case "fields": fields = value.string
            case "expand": expand = value.string
            case "geometry": geometry = value.string
            case "limit":
                guard let number = value.decimal, let limit = Int(exactly: number) else {
                    throw .parameter("limit", "'limit' is a number, such as limit=20.")
                }
                self.limit = limit
            case "count": counts = try Self.flag(value, name: "count", off: "none", on: "exact")
            default: explains = try Self.flag(value, name: "explain", off: "false", on: "true")
            }
        }
    }

    private static func flag(
        _ value: RequestText, name: String, off: StaticString, on: StaticString
    ) throws(RequestFault) -> Bool {
        if value == on { return true }
        if value == off { return false }
        throw .parameter(name, "'\(name)' is '\(off)' or '\(on)'.")
    }

    private static func argument(_ value: RequestText, _ parser: JSONParser) throws(RequestFault)
        -> QueryArgument
    {
        let detail =
            "'arg' is a JSON value, such as arg=5, arg=\"Berlin\" with its quotes, or "
            + "arg={\"$date\":\"2026-11-20T00:00:00Z\"}; use 'text' for a plain string."
        let json: JSONValue
        do {
            json = try parser.parse(UnsafeRawBufferPointer(value.bytes), depthMax: 16)
        } catch {
            throw .parameter("arg", detail)
        }
        guard let argument = ArgumentReader.argument(json) else { throw .parameter("arg", detail) }
        return argument
    }
}

extension QueryText {
    /// Reads a query from a body.
    ///
    /// - Throws: ``RequestFault`` `.malformed` with every fault of the body.
    init(body json: JSONValue) throws(RequestFault) {
        isInBody = true
        guard json.kind == .object else {
            throw RequestFault(
                .malformed, "invalid-body",
                "The body is a JSON object such as {\"filter\":\"age > $0\",\"args\":[30]}.")
        }
        var faults: [RequestFault.Entry] = []
        func wrong(_ name: String, _ expected: String) {
            faults.append(
                RequestFault.Entry(
                    code: "invalid-parameter", detail: "'\(name)' is \(expected).",
                    pointer: "/\(name)"))
        }
        var seen: Set<String> = []
        for member in json.members {
            let name = String(decoding: member.name, as: UTF8.self)
            if !seen.insert(name).inserted {
                faults.append(
                    RequestFault.Entry(
                        code: "duplicate-name", detail: "'\(name)' is stated twice.",
                        pointer: JSONPointer().appending(name).description))
                continue
            }
            let value = member.value
            switch name {
            case "filter":
                filter = value.string
                if filter == nil { wrong(name, "a string") }
            case "sort":
                sort = Self.list(value)
                if sort == nil, !Self.isEmptyList(value) {
                    wrong(name, "a string such as \"-age,name\" or an array of paths")
                }
            case "distinct":
                distinct = Self.list(value)
                if distinct == nil, !Self.isEmptyList(value) {
                    wrong(name, "a string of paths or an array of them")
                }
            case "fields":
                fields = Self.list(value)
                if fields == nil { wrong(name, "a string of names or an array of them") }
            case "expand":
                expand = Self.list(value)
                if expand == nil, !Self.isEmptyList(value) {
                    wrong(name, "a string of paths or an array of them")
                }
            case "cursor":
                cursor = value.string
                if cursor == nil { wrong(name, "a string") }
            case "geometry":
                geometry = value.string
                if geometry == nil { wrong(name, "a path") }
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
                for (index, element) in value.elements.enumerated() {
                    guard let argument = ArgumentReader.argument(element) else {
                        faults.append(
                            RequestFault.Entry(
                                code: "invalid-argument",
                                detail: "An argument is a plain JSON value, a list of them, or a "
                                    + "value with its type such as {\"$date\":\"…\"}.",
                                pointer: "/args/\(index)"))
                        continue
                    }
                    arguments.append(argument)
                }
            default:
                faults.append(
                    RequestFault.Entry(
                        code: "unknown-member", detail: "A query has no member '\(name)'.",
                        pointer: JSONPointer().appending(name).description,
                        hint: NearestName.of(name, among: Self.memberNames)))
            }
        }
        if !faults.isEmpty {
            throw RequestFault(.malformed, "invalid-body", faults[0].detail, errors: faults)
        }
    }

    private static let memberNames = [
        "filter", "args", "sort", "distinct", "limit", "cursor", "fields", "expand", "count",
        "explain", "geometry",
    ]

    /// An array with nothing in it asks for nothing.
    private static func isEmptyList(_ json: JSONValue) -> Bool {
        json.kind == .array && json.count == 0
    }

    /// Text with commas, from a string or a filled array of strings.
    private static func list(_ json: JSONValue) -> String? {
        if let text = json.string { return text }
        guard json.kind == .array, json.count > 0 else { return nil }
        var parts: [String] = []
        for element in json.elements {
            guard let part = element.string else { return nil }
            parts.append(part)
        }
        return parts.joined(separator: ",")
    }
}
