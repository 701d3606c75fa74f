import HoldfastObjectModel

/// The type of a property, as the schema has it.
public struct PropertyShape: Hashable, Sendable {
    /// One value or several.
    enum Kind: Hashable, Sendable {
        case single, list, set, map
        /// An inverse link.
        case origins
    }

    var kind: Kind
    var element: ElementShape

    init(_ kind: Kind, _ element: ElementShape) {
        self.kind = kind
        self.element = element
    }
}

/// The type of a value, or of each element of a collection, as the schema has it.
public struct ElementShape: Hashable, Sendable {
    /// The kinds of values.
    enum Kind: Hashable, Sendable {
        case scalar(ScalarType)
        case object(ClassReference)
    }

    var kind: Kind
    var isOptional: Bool
    /// The raw values of an enum.
    var cases: [Value]?

    init(_ kind: Kind, isOptional: Bool = false, cases: [Value]? = nil) {
        self.kind = kind
        self.isOptional = isOptional
        self.cases = cases
    }

    /// The same with null.
    var optional: ElementShape { ElementShape(kind, isOptional: true, cases: cases) }
}

/// A class of objects as a value.
struct ClassReference: Hashable, Sendable {
    let type: ObjectBase.Type

    static func == (a: ClassReference, b: ClassReference) -> Bool { a.type == b.type }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}
