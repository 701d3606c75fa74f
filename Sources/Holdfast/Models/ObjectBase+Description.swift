import Foundation

extension ObjectBase: CustomStringConvertible {
    /// How deep links are followed.
    private static let depthMax = 4

    /// The class and each property on a line of its own; links nest to a bounded depth, so that cycles end.
    public var description: String { describe(0) }

    private func describe(_ depth: Int) -> String {
        let model = model
        if depth > Self.depthMax { return "<Maximum depth exceeded>" }
        if isInvalidated { return "\(model.name) [invalid object]" }
        let indent = String(repeating: "\t", count: depth + 1)
        var text = "\(model.name) {\n"
        for field in model.fields where field.shape.kind != .origins {
            text += "\(indent)\(field.name) = \(Self.text(value(field), depth));\n"
        }
        return text + String(repeating: "\t", count: depth) + "}"
    }

    private static func text(_ value: Any?, _ depth: Int) -> String {
        guard let value = value.flatMap({ StatedValues.unwrapped($0) }) else { return "(null)" }
        if depth > depthMax { return "<Maximum depth exceeded>" }
        switch value {
        case let object as ObjectBase: return object.describe(depth + 1)
        case let any as AnyRealmValue: return text(any.content, depth)
        case let entries as any DescribedEntries:
            let texts = entries.described.map { "\($0.key): \(text($0.value, depth + 1))" }
            return "[" + texts.joined(separator: ", ") + "]"
        case let elements as any Sequence where !(value is String || value is Data):
            let texts = elements.map { text($0, depth + 1) }
            return "(" + texts.joined(separator: ", ") + ")"
        default: return "\(value)"
        }
    }
}

/// A map, whatever its values are, as ``ObjectBase/description`` shows it.
private protocol DescribedEntries {
    var described: [(key: String, value: Any)] { get }
}

extension Map: DescribedEntries {
    var described: [(key: String, value: Any)] { map { ($0.key._key, $0.value) } }
}

extension AnyRealmValue {
    /// The value of the case; nil for none.
    var content: Any? {
        switch self {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .uuid(let value): value
        case .list(let value): value
        case .dictionary(let value): value
        }
    }
}
