/// The type of one plain value. Raw values are part of the storage format.
package enum ScalarType: UInt8, Sendable, CaseIterable {
    /// True or false.
    case bool = 1
    /// A signed 64-bit integer.
    case int = 2
    /// An IEEE 754 binary64 number.
    case double = 3
    /// UTF-8 text of at most 16 MiB.
    case string = 4
    /// At most 16 MiB of bytes.
    case data = 5
    /// A point in time with nanoseconds.
    case date = 6
    /// A 12-byte object identifier.
    case objectID = 7
    /// A 16-byte universally unique identifier.
    case uuid = 8

    /// The type's name in a schema document.
    package var name: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .objectID: "objectId"
        case .uuid: "uuid"
        }
    }

    /// Finds a type by its name in a schema document.
    package init?(name: String) {
        guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// Whether a primary key may have this type.
    package var canBePrimaryKey: Bool {
        switch self {
        case .int, .string, .objectID, .uuid: true
        case .bool, .double, .data, .date: false
        }
    }

    /// Whether a property of this type may be indexed.
    package var canBeIndexed: Bool { self != .data }
}
