import JSON
import TestSupport
import Testing

/// JSON as a plain value, for comparing replies with a model.
indirect enum QueryJSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([QueryJSON])
    case object([String: QueryJSON])

    /// Reads a text; nil when it is no JSON.
    init?(_ text: String) {
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

    subscript(_ name: String) -> QueryJSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var elements: [QueryJSON] { if case .array(let list) = self { list } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var int: Int64? { if case .int(let value) = self { value } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The names of an object's members, sorted.
    var names: [String] {
        if case .object(let members) = self { members.keys.sorted() } else { [] }
    }
}

extension HTTPClient.Reply {
    /// The body as JSON; null when it is none.
    var json: QueryJSON { QueryJSON(text) ?? .null }

    /// The ids of a page's objects.
    var ids: [Int64] { (json["objects"]?.elements ?? []).compactMap { $0["id"]?.int } }

    /// The cursor of the next page.
    var next: String? { json["next"]?.string }
}

/// A request target with parameters, escaped.
func target(_ path: String, _ parameters: [(String, String)]) -> String {
    path + "?" + parameters.map { "\($0)=\(escaped($1))" }.joined(separator: "&")
}

/// A text with everything but letters and digits percent-encoded.
func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
        switch byte {
        case 48...57, 65...90, 97...122: result.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let digits = Array("0123456789ABCDEF")
            result += "%" + String(digits[Int(byte >> 4)]) + String(digits[Int(byte & 15)])
        }
    }
    return result
}

/// A text as a JSON string.
func quoted(_ text: String) -> String {
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
