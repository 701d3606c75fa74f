import HoldfastJSON

/// JSON as a plain value, for comparing replies with a model.
package indirect enum QueryJSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([QueryJSON])
    case object([String: QueryJSON])

    /// Reads a text; nil when it is no JSON.
    package init?(_ text: String) {
        let parser = JSONParser()
        let bytes = Array(text.utf8)
        let read: QueryJSON? = bytes.withUnsafeBytes { buffer in
            (try? parser.parse(buffer, depthMax: 64)).map { QueryJSON($0) }
        }
        guard let read else { return nil }
        self = read
    }

    private init(_ json: JSONValue) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(json.bool ?? false)
        case .integer: self = json.int64.map { .int($0) } ?? .double(json.double ?? .nan)
        case .double: self = .double(json.double ?? .nan)
        case .string: self = .string(json.string ?? "")
        case .array: self = .array(json.elements.map { QueryJSON($0) })
        case .object:
            var members: [String: QueryJSON] = [:]
            for member in json.members {
                members[String(decoding: member.name, as: UTF8.self)] = QueryJSON(member.value)
            }
            self = .object(members)
        }
    }

    package subscript(_ name: String) -> QueryJSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    package var elements: [QueryJSON] { if case .array(let list) = self { list } else { [] } }
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var int: Int64? { if case .int(let value) = self { value } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The value as JSON, members in the order of their names.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): quoted(text)
        case .array(let list): "[" + list.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key < $1.key }
                .map { quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }
    /// The names of an object's members, sorted.
    package var names: [String] {
        if case .object(let members) = self { members.keys.sorted() } else { [] }
    }
}

/// A text as a JSON string.
package func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case _ where scalar.value < 0x20:
            let digits = Array("0123456789abcdef")
            result +=
                "\\u00" + String(digits[Int(scalar.value >> 4)])
                + String(digits[Int(scalar.value & 15)])
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
