import HoldfastJSON
import HoldfastObjectModel

/// A value of a sample: a copy of a JSON value. Memory: some times its text.
enum SampleValue: Sendable {
    case null
    case bool(Bool)
    /// The text of a JSON number.
    case number(String)
    case text(String)
    /// A value of extended JSON, which states its type, and its text.
    case typed(ScalarType, String)
    case list([SampleValue])
    case object([SampleMember])

    /// Copies a value. Recursive: its text was parsed with a bounded depth.
    init(_ json: JSONValue) {
        switch json.kind {
        case .null: self = .null
        case .bool: self = .bool(json.bool == true)
        case .integer, .double:
            self = .number(json.numberText.map { String(decoding: $0, as: UTF8.self) } ?? "")
        case .string: self = .text(json.string ?? "")
        case .array: self = .list(json.elements.map { SampleValue($0) })
        case .object:
            if let extended = ExtendedJSON(json) {
                self = SampleValue(extended)
            } else {
                self = .object(SampleMember.all(of: json))
            }
        }
    }

    private init(_ extended: ExtendedJSON) {
        func text(_ json: JSONValue) -> String {
            json.string ?? json.numberText.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        switch extended {
        case .objectID(let value): self = .typed(.objectID, text(value))
        case .integer(let value): self = .typed(.int, text(value))
        case .double(let value): self = .typed(.double, text(value))
        case .decimal(let value): self = .typed(.decimal128, text(value))
        case .date(let date): self = .typed(.date, date.description)
        case .binary(let value, let isUUID): self = .typed(isUUID ? .uuid : .data, text(value))
        case .uuid(let value): self = .typed(.uuid, text(value))
        case .symbol(let value): self = .typed(.string, text(value))
        }
    }

    /// Whether it is null.
    var isNull: Bool { if case .null = self { true } else { false } }

    /// Whether it, or a value within it, states its type as extended JSON does.
    var holdsTyped: Bool {
        switch self {
        case .typed: true
        case .list(let elements): elements.contains { $0.holdsTyped }
        case .object(let members): members.contains { $0.value.holdsTyped }
        case .null, .bool, .number, .text: false
        }
    }

    /// The elements of a list; nil for other values.
    var elements: [SampleValue]? {
        if case .list(let elements) = self { elements } else { nil }
    }

    /// The members of an object; nil for other values.
    var members: [SampleMember]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The kind of the value as a plural, for reasons.
    var kindText: String {
        switch self {
        case .null: "nulls"
        case .bool: "truth values"
        case .number: "numbers"
        case .text: "texts"
        case .typed(let scalar, _): "values of type '\(scalar.name)'"
        case .list: "lists"
        case .object: "objects"
        }
    }
}

/// A member of an object of a sample.
struct SampleMember: Sendable {
    let name: String
    let value: SampleValue

    /// Copies the members of a JSON object, in their order.
    static func all(of json: JSONValue) -> [SampleMember] {
        json.members.map {
            SampleMember(
                name: String(decoding: $0.name, as: UTF8.self), value: SampleValue($0.value))
        }
    }
}

/// The values of a name in the objects of a sample, in the order of the objects that state it.
struct SampleMembers {
    let name: String
    var values: [SampleValue] = []

    /// Collects the members of objects by their names, in the order in which the names come first.
    static func collect(_ objects: [[SampleMember]]) -> [SampleMembers] {
        var positions: [ExactText: Int] = [:]
        var found: [SampleMembers] = []
        for members in objects {
            for member in members {
                let position = positions[member.name] ?? found.count
                if position == found.count {
                    positions[member.name] = position
                    found.append(SampleMembers(name: member.name))
                }
                found[position].values.append(member.value)
            }
        }
        return found
    }
}
