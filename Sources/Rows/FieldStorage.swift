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
