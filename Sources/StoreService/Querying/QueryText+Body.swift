import HoldfastJSON
import HoldfastObjectJSON
import HoldfastQuery
import HoldfastText

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
                    hint: NearestName.of(name, among: known + others))
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
                    guard budget.look() else { throw .givenUp(budget.failure ?? .time, limits) }
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

    /// The members that are texts, or lists that become one, and what they are expected to be.
    private static let texts:
        [String: (
            path: WritableKeyPath<QueryText, String?> & Sendable, isList: Bool, expected: String
        )] = [
            "filter": (\.filter, false, "a string"),
            "sort": (\.sort, true, "a string such as \"-age,name\" or an array of paths"),
            "distinct": (\.distinct, true, "a string of paths or an array of them"),
            "fields": (\.fields, true, "a string of names or an array of them"),
            "expand": (\.expand, true, "a string of paths or an array of them"),
            "cursor": (\.cursor, false, "a string"),
            "geometry": (\.geometry, false, "a path"),
        ]

    /// The members of a query whose result is a page.
    package static let memberNames = [
        "filter", "args", "sort", "distinct", "limit", "cursor", "fields", "expand", "count",
        "explain", "geometry",
    ]

    /// An array with nothing in it asks for nothing.
    private static func isEmptyList(_ json: JSONValue) -> Bool {
        json.kind == .array && json.count == 0
    }

    /// Text with commas, from a string or a filled array of strings.
    static func list(_ json: JSONValue) -> String? {
        if let text = json.string { return text }
        guard json.kind == .array, json.count > 0 else { return nil }
        let parts = json.elements.compactMap(\.string)
        return parts.count == json.count ? parts.joined(separator: ",") : nil
    }
}
