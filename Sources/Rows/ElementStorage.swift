import HoldfastObjectModel

/// The storage of one value. Raw values are part of the storage format.
public enum ElementStorage: UInt8, Sendable {
    /// One byte, 0 or 1.
    case bool = 1
    /// Eight bytes, little-endian, for every declared width.
    case int = 2
    /// Eight bytes, IEEE 754.
    case double = 3
    /// UTF-8 in the heap.
    case string = 4
    /// Bytes in the heap.
    case data = 5
    /// Eight bytes of seconds, four of nanoseconds.
    case date = 6
    /// Twelve bytes in the order of their text.
    case objectID = 7
    /// Sixteen bytes in the order of their text.
    case uuid = 8
    /// Four bytes, IEEE 754.
    case float = 9
    /// Sixteen bytes, IEEE 754 decimal128 in binary encoding: the lower half, then the upper.
    case decimal = 10
    /// Eight bytes: the target's object key.
    case link = 32
    /// A row in the heap.
    case embedded = 33
    /// A value of any kind in the heap, see ``MixedView``; null like any other null.
    case mixed = 34

    /// The storage of a plain value.
    package init(_ scalar: ScalarType) {
        switch scalar.widened {
        case .bool: self = .bool
        case .int, .int8, .int16, .int32, .int64: self = .int
        case .float: self = .float
        case .decimal128: self = .decimal
        case .double: self = .double
        case .string: self = .string
        case .data: self = .data
        case .date: self = .date
        case .objectID: self = .objectID
        case .uuid: self = .uuid
        case .mixed: self = .mixed
        }
    }

    /// Whether it is a number of any kind.
    package var isNumeric: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        case .bool, .string, .data, .date, .objectID, .uuid, .link, .embedded, .mixed: false
        }
    }

    /// The bytes of a value with a fixed width; nil for values in the heap.
    @inlinable public var fixedByteCount: Int? {
        switch self {
        case .bool: 1
        case .int, .double, .link: 8
        case .date, .objectID: 12
        case .uuid, .decimal: 16
        case .float: 4
        case .string, .data, .embedded, .mixed: nil
        }
    }
}
