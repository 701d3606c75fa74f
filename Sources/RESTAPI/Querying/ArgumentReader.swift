import JSON
import ObjectModel
import Query

/// Reads a query's arguments from JSON, in the forms that a `mixed` value has.
enum ArgumentReader {
    /// How deep the lists of an argument nest.
    private static let depthMax = 8

    /// The argument that a JSON value stands for; nil when it is none.
    ///
    /// A plain string may stand for a date, a UUID, an object identifier or data, whichever the query
    /// compares it with.
    static func argument(_ json: JSONValue) -> QueryArgument? {
        guard let value = value(json, depth: 0) else { return nil }
        return QueryArgument(value, isPlainText: holdsPlainText(json))
    }

    private static func holdsPlainText(_ json: JSONValue) -> Bool {
        switch json.kind {
        case .string: true
        case .array: json.elements.contains { $0.kind == .string }
        default: false
        }
    }

    private static func value(_ json: JSONValue, depth: Int) -> Value? {
        switch json.kind {
        case .null: return .null
        case .bool: return json.bool.map { .bool($0) }
        case .integer:
            if let value = json.int64 { return .int(value) }
            return json.double.map { .double($0) }
        case .double: return json.double.map { .double($0) }
        case .string: return json.string.map { .string($0) }
        case .array:
            guard depth < depthMax else { return nil }
            var values: [Value] = []
            for element in json.elements {
                guard let value = value(element, depth: depth + 1) else { return nil }
                values.append(value)
            }
            return .list(values)
        case .object: return tagged(json)
        }
    }

    /// A value whose type is written out, such as `{"$date": "…"}`.
    private static func tagged(_ json: JSONValue) -> Value? {
        guard json.count == 1 else { return nil }
        for member in json.members {
            let inner = member.value
            if member.isNamed("$int") { return ScalarText.int(inner).map { .int($0) } }
            if member.isNamed("$double") { return ScalarText.double(inner).map { .double($0) } }
            if member.isNamed("$float") { return ScalarText.float(inner).map { .float($0) } }
            if member.isNamed("$decimal") { return ScalarText.decimal(inner).map { .decimal($0) } }
            if member.isNamed("$date") {
                return inner.stringBytes.flatMap { Timestamp(rfc3339: $0) }.map { .date($0) }
            }
            if member.isNamed("$objectId") {
                return inner.stringBytes.flatMap { ObjectID(text: $0) }.map { .objectID($0) }
            }
            if member.isNamed("$uuid") {
                return inner.stringBytes.flatMap { UUID128(text: $0) }.map { .uuid($0) }
            }
            if member.isNamed("$data") {
                return inner.stringBytes.flatMap {
                    Base64.decode($0, alphabet: .standard) ?? Base64.decode($0, alphabet: .url)
                }.map { .data($0) }
            }
            if member.isNamed("$link") { return link(inner) }
        }
        return nil
    }

    private static func link(_ json: JSONValue) -> Value? {
        guard json.kind == .object, json.count == 2,
            let name = json.member(named: "class")?.string,
            let id = json.member(named: "id"), let key = value(id, depth: depthMax)
        else { return nil }
        return .link(className: name, key: key)
    }
}
