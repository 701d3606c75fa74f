import Bytes
import ObjectModel

extension Value {
    /// A plain value read from its stored bytes: a slot's, an element's, or those in the heap. Null for
    /// links and embedded objects.
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

    /// A plain value within a `mixed` one. A link, list or map, which no other type has, becomes an empty
    /// list, which converts to nothing.
    private init(mixed view: MixedView) {
        switch view.kind {
        case .null: self = .null
        case .link, .list, .map: self = .list([])
        default: self = view.kind.storage.map { Value(stored: view.payload, $0) } ?? .null
        }
    }

    private init(at address: UnsafeRawPointer, _ element: ElementStorage) {
        switch element {
        case .bool: self = .bool(address.storedBool)
        case .int: self = .int(address.storedInt)
        case .double: self = .double(address.storedDouble)
        case .float: self = .float(address.storedFloat)
        case .decimal: self = .decimal(address.storedDecimal)
        case .date: self = .date(address.storedDate)
        case .objectID: self = .objectID(address.storedObjectID)
        case .uuid: self = .uuid(address.storedUUID)
        case .string, .data, .link, .embedded, .mixed: self = .null
        }
    }
}

extension ScalarCollectionBuilder {
    /// Begins a collection of `mixed` values and adds them all; nil stands for null.
    func append(mixed values: [[UInt8]?]) {
        reset(.mixed)
        for value in values {
            guard let value else {
                appendNull()
                continue
            }
            value.withUnsafeBytes { append(text: $0) }
        }
    }

    /// Adds a plain value of the collection's type, or null.
    package func append(value: Value) {
        switch value {
        case .null, .link, .list, .map: appendNull()
        case .bool(let value): append(value)
        case .int(let value): append(value)
        case .double(let value): append(value)
        case .float(let value): append(value)
        case .decimal(let value): append(value)
        case .string(var value): value.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
        case .data(let value): value.withUnsafeBytes { append(text: $0) }
        case .date(let value): append(value)
        case .objectID(let value): append(value)
        case .uuid(let value): append(value)
        }
    }
}
