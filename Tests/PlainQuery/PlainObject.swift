import HoldfastObjectModel
import HoldfastObjectSupport

/// An object, or an embedded one, as plain values.
struct PlainObject {
    var className: String
    /// The object key; of an embedded object that of its owner.
    var key: UInt64
    var content: ObjectContent

    /// What leads to the object.
    var link: Value { .link(className: className, key: .int(Int64(bitPattern: key))) }
}

extension Content {
    /// The elements of a collection as single contents: those of a map in the order of its keys.
    var elements: [Content] {
        switch self {
        case .values(let values): values.map { .value($0) }
        case .embeddedList(let objects): objects.map { .embedded($0) }
        case .entries(let entries): entries.inKeyOrder.map(\.value)
        default: []
        }
    }

    /// A scalar, or a link; what is no such value has no more than a kind.
    var plainValue: Value {
        switch self {
        case .value(let value): value
        case .values, .embeddedList: .list([])
        default: .map([])
        }
    }
}

extension [String: Content] {
    /// The entries of a map in the order of the bytes of their keys.
    var inKeyOrder: [(key: String, value: Content)] {
        sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}
