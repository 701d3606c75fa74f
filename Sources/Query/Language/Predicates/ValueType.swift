import HoldfastObjectModel
import HoldfastRows

/// The type of one value that a path leads to.
package enum ValueType: Hashable, Sendable {
    /// A plain value.
    case scalar(ScalarType)
    /// A link to an object of the class at this position in the schema.
    case link(classIndex: Int)
    /// An embedded object of the class at this position.
    case embedded(classIndex: Int)
    /// The kinds of `mixed` values, as a ``KindSet``.
    case kinds

    /// The type's name in Realm's messages.
    package var name: String {
        switch self {
        case .scalar(.data): "binary"
        case .scalar(.date): "timestamp"
        case .scalar(let scalar): scalar.widened.name
        case .link, .embedded: "link"
        case .kinds: "typeOfValue"
        }
    }

    /// Whether it is a number of any kind: they compare with each other.
    var isNumeric: Bool { self != .kinds && storage.isNumeric }

    package var storage: ElementStorage {
        switch self {
        case .scalar(let scalar): ElementStorage(scalar)
        case .link: .link
        case .embedded: .embedded
        case .kinds: .int
        }
    }
}
