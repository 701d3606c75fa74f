import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastRows

/// A value of MongoDB's extended JSON with an explicit type, such as `{"$oid":"…"}`: canonical and relaxed forms of version 2,
/// and the older ones of version 1. https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/
enum ExtendedJSON {
    case objectID(JSONValue)
    case integer(JSONValue)
    case double(JSONValue)
    case decimal(JSONValue)
    case date(Timestamp)
    /// Base64, and whether the bytes are a UUID's.
    case binary(JSONValue, isUUID: Bool)
    case uuid(JSONValue)
    case symbol(JSONValue)

    /// Reads a value; nil for other JSON, and for a form with an invalid content.
    init?(_ json: JSONValue) {
        guard json.kind == .object, let first = json.members.first(where: { _ in true }),
            first.name.first == UInt8(ascii: "$")
        else { return nil }
        if json.count == 1, let form = Self.forms.first(where: { first.isNamed($0.name) }) {
            guard let value = form.read(first.value) else { return nil }
            self = value
            return
        }
        guard let binary = json.member(named: "$binary") else { return nil }
        let isOld = json.count == 2 && binary.kind == .string
        guard isOld || (json.count == 1 && binary.kind == .object),
            let bytes = isOld ? binary : binary.member(named: "base64"),
            let type = isOld ? json.member(named: "$type") : binary.member(named: "subType")
        else { return nil }
        let text = type.string ?? type.numberText.map { String(decoding: $0, as: UTF8.self) }
        self = .binary(bytes, isUUID: text == "04" || text == "4")
    }

    /// The forms with a single member, by its name, and the reading of its value; nil for an invalid value.
    private static let forms: [(name: StaticString, read: @Sendable (JSONValue) -> ExtendedJSON?)] =
        [
            ("$oid", { .objectID($0) }), ("$numberInt", { .integer($0) }),
            ("$numberLong", { .integer($0) }), ("$numberDouble", { .double($0) }),
            ("$numberDecimal", { .decimal($0) }), ("$uuid", { .uuid($0) }),
            ("$symbol", { .symbol($0) }),
            ("$date", { Self.date($0).map { ExtendedJSON.date($0) } }),
        ]

    /// A date: RFC 3339, also with an offset that has no colon, or milliseconds since 1970.
    private static func date(_ json: JSONValue) -> Timestamp? {
        if let milliseconds = json.exactInt64 ?? json.member(named: "$numberLong").flatMap(integer)
        {
            var (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
            if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1000) }
            guard seconds >= Timestamp.secondsMin, seconds < Timestamp.secondsEnd else {
                return nil
            }
            return Timestamp(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000)
        }
        guard var text = json.stringBytes.map(Array.init) else { return nil }
        if text.count > 5,
            text[text.count - 5] == UInt8(ascii: "+")
                || text[text.count - 5] == UInt8(ascii: "-"), text.contains(UInt8(ascii: "T"))
        {
            text.insert(UInt8(ascii: ":"), at: text.count - 2)
        }
        return text.withUnsafeBytes { Timestamp(rfc3339: $0) }
    }

    private static func integer(_ json: JSONValue) -> Int64? {
        json.exactInt64 ?? json.string.flatMap { Int64($0) }
    }

    /// Writes the value as a property of a type takes it; with its type in a `mixed` one.
    func write(for element: ElementStorage, to writer: JSONWriter) {
        guard element == .mixed else { return write(plain: element, to: writer) }
        let form: StaticString
        switch self {
        case .objectID: form = "$objectId"
        case .integer: form = "$int"
        case .double: form = "$double"
        case .decimal: form = "$decimal"
        case .date: form = "$date"
        case .binary(_, let isUUID): form = isUUID ? "$uuid" : "$data"
        case .uuid: form = "$uuid"
        case .symbol: return write(plain: .string, to: writer)
        }
        writer.raw("{")
        writer.key(form)
        switch self {
        case .binary(_, isUUID: true): write(plain: .uuid, to: writer)
        // Under the name of a double, the value is a JSON number if JSON can express it.
        case .double: write(plain: .double, to: writer)
        default: write(plain: .mixed, to: writer)
        }
        writer.raw("}")
    }

    private func write(plain element: ElementStorage, to writer: JSONWriter) {
        switch self {
        case .objectID(let value), .uuid(let value), .symbol(let value): write(value, to: writer)
        case .integer(let value), .double(let value), .decimal(let value):
            guard element != .decimal, element != .mixed, let text = value.stringBytes,
                NumberText.isJSON(text)
            else { return write(value, to: writer) }
            writer.raw(text)
        case .date(let date): writer.string(date.description)
        case .binary(let value, let isUUID):
            if isUUID, element == .uuid, let text = value.stringBytes,
                let bytes = Base64.decodeEither(text), bytes.count == 16
            {
                func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
                    bytes.reduce(0) { $0 << 8 | UInt64($1) }
                }
                let uuid = UUID128(high: number(bytes[..<8]), low: number(bytes[8...]))
                return writer.string(uuid.description)
            }
            write(value, to: writer)
        }
    }

    /// Writes the value under a form's name. A value that is neither text nor a number is left to the reader to refuse.
    private func write(_ value: JSONValue, to writer: JSONWriter) {
        if let text = value.stringBytes {
            writer.string(text)
        } else if let text = value.numberText {
            writer.raw(text)
        } else {
            writer.raw("{}")
        }
    }
}
