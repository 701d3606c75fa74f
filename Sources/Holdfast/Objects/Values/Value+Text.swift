import HoldfastObjectModel

extension Value {
    /// The value as messages show it.
    var text: String {
        switch self {
        case .null: "(null)"
        case .bool(let value): value ? "1" : "0"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .float(let value): "\(value)"
        case .decimal(let value): value.description
        case .string(let value): value
        case .data(let value): "<\(value.count) bytes>"
        case .date(let value): "\(value.foundationDate)"
        case .objectID(let value): value.description
        case .uuid(let value): value.description
        case .link(_, let key): key.text
        case .list(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
        case .map(let entries):
            "[" + entries.map { "\($0.key): \($0.value.text)" }.joined(separator: ", ") + "]"
        }
    }
}
