import HoldfastObjectModel
import HoldfastObjectSupport

extension Value {
    /// The value for the message of a difference.
    var brief: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "double \(value)"
        case .float(let value): "float \(value)"
        case .decimal(let value): "decimal \(value)"
        case .string(let value): "'\(value)'"
        case .data(let value): "data \(value)"
        case .date(let value): "\(value)"
        case .objectID(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .link(let className, let key): "\(className)(\(key.brief))"
        case .list(let values): "[\(values.map(\.brief).joined(separator: ", "))]"
        case .map(let entries):
            "{\(entries.map { "'\($0.key)': \($0.value.brief)" }.joined(separator: ", "))}"
        }
    }
}

extension Content {
    /// The content for the message of a difference.
    var brief: String {
        switch self {
        case .value(let value): value.brief
        case .values(let values): "[\(values.map(\.brief).joined(separator: ", "))]"
        case .embedded(let inner): inner.brief
        case .embeddedList(let list): "[\(list.map(\.brief).joined(separator: ", "))]"
        case .entries(let entries): entries.brief
        default: "\(self)"
        }
    }
}

extension [String: Content] {
    /// The contents by name.
    var brief: String {
        "{\(inKeyOrder.map { "\($0.key): \($0.value.brief)" }.joined(separator: ", "))}"
    }
}
