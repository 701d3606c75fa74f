/// One property of a class.
package struct Property: Hashable, Sendable {
    /// Its name, unique in the class.
    @Exact package var name: String
    /// The type of its values.
    package var type: PropertyType
    /// Whether the value, or each element of a collection, may be null. Always true for a single link
    /// or embedded object and for maps of objects, false for lists and sets of objects, for inverse
    /// links, and for `mixed`, whose values may be null by themselves.
    package var isOptional: Bool
    /// Whether the store keeps an index of its values.
    package var isIndexed: Bool
    /// The index of another kind that the store keeps of it, if one.
    package var searchIndex: SearchIndexKind?
    /// The declared default.
    package var defaultValue: DefaultValue?
    /// The raw values of a persisted enum: all that a value, or an element, may be beside null; nil for
    /// any.
    package var cases: [Value]?
    /// Whether no two objects of the class have the same value; null is not a value.
    package var isUnique: Bool
    /// Whether it has to be stated of every object that is created or replaced, whatever its default; an
    /// object that is there already need not have been.
    package var isRequired = false
    /// Of a link what becomes of the object that holds it when the target is deleted.
    package var onDelete: OnDelete
    /// The name that it is mapped to, which queries may use in the place of its own; nil when it has
    /// just one.
    @Exact package var mapTo: String?

    /// Makes a property.
    package init(
        name: String, type: PropertyType, isOptional: Bool = false, isIndexed: Bool = false,
        defaultValue: DefaultValue? = nil, cases: [Value]? = nil, isUnique: Bool = false,
        onDelete: OnDelete = .nullify, mapTo: String? = nil, searchIndex: SearchIndexKind? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isIndexed = isIndexed
        self.defaultValue = defaultValue
        self.cases = cases
        self.isUnique = isUnique
        self.onDelete = onDelete
        self.mapTo = mapTo
        self.searchIndex = searchIndex
    }

    /// Whether the store keeps an index of its values: declared, or because it is unique.
    package var keepsIndex: Bool { isIndexed || isUnique }

    /// The type of its values or elements; nil for links, embedded objects and inverse links.
    package var scalar: ScalarType? {
        guard case .scalar(let scalar)? = type.element else { return nil }
        return scalar
    }

    /// The default that holds when none is declared: null where that is allowed, else an enum's first
    /// case, the zero value of the type, the time of the write, or a fresh identifier, as `@Persisted` does.
    package var effectiveDefault: DefaultValue {
        if let defaultValue { return defaultValue }
        guard case .single(let element) = type else { return .constant(.list([])) }
        guard case .scalar(let scalar) = element, !isOptional else { return .constant(.null) }
        if let first = cases?.first { return .constant(first) }
        switch scalar {
        case .date: return .now
        case .objectID: return .objectID
        case .uuid: return .uuid
        default: return .constant(scalar.zero)
        }
    }
}
