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

/// The effect of the deletion of a link's target on the holder of the link.
///
/// It is stated on the property that holds the link. Raw values are the names in a schema document.
package enum OnDelete: String, Sendable, CaseIterable {
    /// The link becomes null, or its collection loses the element.
    case nullify
    /// The holder is deleted with the target: the object, or the embedded object, that has the property.
    case cascade
    /// The target can't be deleted as long as the holder is there.
    case deny
}

/// The kind of an index that is not one of whole values in their order. Raw values are stored.
package enum SearchIndexKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The words of texts.
    case fullText = 1
    /// Points, by the region of the Earth that they lie in.
    case geo = 2

    /// As schemas have it.
    package var name: String {
        switch self {
        case .fullText: "fulltext"
        case .geo: "geo"
        }
    }

    /// The kind of a name; nil when there is none.
    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}

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

/// The value of a property in a new object that does not state it.
package enum DefaultValue: Hashable, Sendable {
    /// The same value in every object.
    case constant(Value)
    /// A random UUID, fresh for each object; `"$uuid"`.
    case uuid
    /// A generated object identifier, fresh for each object; `"$objectId"`.
    case objectID
    /// The time of the write; `"$now"`.
    case now
    /// A number above all that the class's primary keys have had so far, from 1; `"$next"`. Only of
    /// primary keys that are integers.
    case next
}
