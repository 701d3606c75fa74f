/// The type of a property.
package enum PropertyType: Hashable, Sendable {
    /// One value.
    case single(ElementType)
    /// An ordered collection.
    case list(ElementType)
    /// A collection of distinct values in value order.
    case set(ElementType)
    /// Values by keys, which are strings without `.` and `$`, in the order of their bytes.
    case map(ElementType)
    /// The objects of `className` whose `property` links here; maintained by the store, never written.
    case linkingObjects(className: String, property: String)

    /// The element's type; nil for inverse links.
    package var element: ElementType? {
        switch self {
        case .single(let element), .list(let element), .set(let element), .map(let element): element
        case .linkingObjects: nil
        }
    }

    /// The class whose objects it holds or leads to; nil for plain values.
    package var className: String? {
        if case .linkingObjects(let className, _) = self { return className }
        if case .object(let name)? = element { return name }
        return nil
    }

    /// Whether it holds values by keys.
    package var isMap: Bool { if case .map = self { true } else { false } }

    /// Whether it holds several values.
    package var isCollection: Bool {
        switch self {
        case .list, .set, .map, .linkingObjects: true
        case .single: false
        }
    }
}

extension PropertyType {
    package static func == (a: PropertyType, b: PropertyType) -> Bool {
        switch (a, b) {
        case (.single(let a), .single(let b)), (.list(let a), .list(let b)),
            (.set(let a), .set(let b)), (.map(let a), .map(let b)):
            a == b
        case (.linkingObjects(let a, let property), .linkingObjects(let b, let other)):
            a.isSame(as: b) && property.isSame(as: other)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .single(let element), .list(let element), .set(let element), .map(let element):
            hasher.combine(element)
        case .linkingObjects(let className, let property):
            className.hashBytes(into: &hasher)
            property.hashBytes(into: &hasher)
        }
    }
}
