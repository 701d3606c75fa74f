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

/// The storage of a property in a row.
public struct FieldStorage: Hashable, Sendable {
    /// The number of values in the field. Raw values are part of the storage format.
    public enum Shape: UInt8, Sendable {
        /// One value: in its slot, or in the heap with the slot pointing there.
        case single = 0
        /// A list in the heap.
        case list = 1
        /// A set in the heap, its elements in value order.
        case set = 2
        /// A map in the heap, its entries in the order of their keys' bytes.
        case map = 3
        /// No stored value: an inverse link.
        case none = 255
    }

    /// One or several values.
    public var shape: Shape
    /// The storage of the value, or of each element or value of an entry.
    public var element: ElementStorage

    /// Makes a description of a field's storage.
    @inlinable public init(_ shape: Shape, _ element: ElementStorage) {
        self.shape = shape
        self.element = element
    }

    /// The number of bytes of the slot: the value itself, or the offset and length of its heap part.
    @inlinable public var slotByteCount: Int {
        switch shape {
        case .none: 0
        case .list, .set, .map: 8
        case .single: element.fixedByteCount ?? 8
        }
    }

    /// Whether the slot points into the heap.
    @inlinable public var isInHeap: Bool {
        switch shape {
        case .none: false
        case .list, .set, .map: true
        case .single: element.fixedByteCount == nil
        }
    }
}
