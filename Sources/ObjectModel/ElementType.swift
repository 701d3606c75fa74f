/// The type of a single-valued property or of one element of a collection.
package enum ElementType: Hashable, Sendable {
    /// A plain value.
    case scalar(ScalarType)
    /// An object of the named class: a link, or an embedded object if the class is embedded.
    case object(String)
}

extension ElementType {
    package static func == (a: ElementType, b: ElementType) -> Bool {
        switch (a, b) {
        case (.scalar(let a), .scalar(let b)): a == b
        case (.object(let a), .object(let b)): a.isSame(as: b)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .scalar(let scalar): hasher.combine(scalar)
        case .object(let name): name.hashBytes(into: &hasher)
        }
    }
}
