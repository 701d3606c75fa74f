/// The kinds of a `mixed` value. Raw values are part of the storage format. The upper half of the byte is the kind's rank in the
/// order of values, so all numbers share one.
package enum MixedKind: UInt8, Sendable {
    case null = 0x00
    /// True or false.
    case bool = 0x10
    /// A signed integer.
    case int = 0x20
    /// A floating-point number.
    case double = 0x21
    /// A floating-point number of single precision.
    case float = 0x22
    case decimal = 0x23
    case string = 0x30
    case data = 0x40
    /// A point in time.
    case date = 0x50
    case objectID = 0x60
    case uuid = 0x70
    /// A link to an object of any class.
    case link = 0x80
    case list = 0x90
    /// Values by key.
    case map = 0xA0

    /// The rank in the order of values: null, bools, numbers, strings, data, dates, object identifiers,
    /// UUIDs, links, lists, maps.
    package var rank: UInt8 { rawValue >> 4 }

    package var isNumeric: Bool { rank == 2 }

    /// The number of bytes of the payload; nil if it varies.
    var payloadByteCount: Int? {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .double: 8
        case .float: 4
        case .date, .objectID, .link: 12
        case .decimal, .uuid: 16
        case .string, .data, .list, .map: nil
        }
    }

    /// The storage of a plain value of the kind outside of a `mixed` value; nil for null, lists and maps.
    package var storage: ElementStorage? {
        switch self {
        case .null, .list, .map: nil
        case .bool: .bool
        case .int: .int
        case .double: .double
        case .float: .float
        case .decimal: .decimal
        case .string: .string
        case .data: .data
        case .date: .date
        case .objectID: .objectID
        case .uuid: .uuid
        case .link: .link
        }
    }

    /// The kind of a value with a storage; an embedded object is a map.
    package init(stored storage: ElementStorage) {
        self =
            switch storage {
            case .bool: .bool
            case .int: .int
            case .double: .double
            case .float: .float
            case .decimal: .decimal
            case .string: .string
            case .data: .data
            case .date: .date
            case .objectID: .objectID
            case .uuid: .uuid
            case .link: .link
            case .embedded: .map
            case .mixed: .null
            }
    }
}
