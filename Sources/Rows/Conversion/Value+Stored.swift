import HoldfastObjectModel

extension Value {
    /// Reads a plain value from its stored bytes: of a slot, an element, or the heap. Null for links and embedded objects.
    package init(stored bytes: UnsafeRawBufferPointer, _ element: ElementStorage) {
        switch element {
        case .string: self = .string(String(decoding: bytes, as: UTF8.self))
        case .data: self = .data(Array(bytes))
        case .mixed: self = Value(mixed: MixedView(bytes))
        default:
            guard let address = bytes.baseAddress else {
                self = .null
                return
            }
            self = Value(at: address, element)
        }
    }

    /// The value of a single plain property.
    package init(_ field: Field, _ storage: FieldStorage, _ source: any OverflowSource) {
        self = StoredField(field, storage, source).values.first ?? .null
    }

    /// Reads a plain value within a `mixed` one. A link, list or map becomes an empty list, which cannot be converted to any
    /// type.
    private init(mixed view: MixedView) {
        switch view.kind {
        case .null: self = .null
        case .link, .list, .map: self = .list([])
        default: self = view.kind.storage.map { Value(stored: view.payload, $0) } ?? .null
        }
    }
}
