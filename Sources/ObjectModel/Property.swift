/// One property of a class.
package struct Property: Hashable, Sendable {
    /// The name, unique in the class.
    @Exact package var name: String
    package var type: PropertyType
    /// Whether the value, or each element of a collection, may be null. Always true for a single link or embedded object and for
    /// maps of objects. Always false for lists and sets of objects, for inverse links, and for `mixed`, whose values may be null
    /// by themselves.
    package var isOptional: Bool
    /// Whether the store keeps an index of the values.
    package var isIndexed: Bool
    /// The search index that the store keeps of the property; nil for no search index.
    package var searchIndex: SearchIndexKind?
    package var defaultValue: DefaultValue?
    /// The raw values of a persisted enum, which are the only allowed values besides null; nil if all values are allowed.
    package var cases: [Value]?
    /// Whether all objects of the class must have different values. Null may repeat.
    package var isUnique: Bool
    /// Whether it must be set when an object is created or replaced, even if it has a default. Existing objects need not have set
    /// it.
    package var isRequired = false
    /// The effect on the object that holds a link when the link's target is deleted.
    package var onDelete: OnDelete
    /// The mapped name, which queries may use instead of the own name; nil if there is only one name.
    @Exact package var mapTo: String?

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

    /// Whether the store keeps an index of the values because it is declared or the property is unique.
    package var keepsIndex: Bool { isIndexed || isUnique }

    /// The type of the values or elements; nil for links, embedded objects and inverse links.
    package var scalar: ScalarType? {
        guard case .scalar(let scalar)? = type.element else { return nil }
        return scalar
    }

    /// The default, also if it is not declared. It is then null if allowed, otherwise an enum's first case, the zero value of the
    /// type, the time of the write, or a fresh identifier, as in `@Persisted`. Of `$user` it is the one for a write without a user,
    /// as if none was declared.
    package var effectiveDefault: DefaultValue {
        if let defaultValue, defaultValue != .user { return defaultValue }
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

/// The effect of deleting a link's target on the holder of the link.
///
/// It is declared on the property that holds the link. Raw values are the names in a schema document.
package enum OnDelete: String, Sendable, CaseIterable {
    /// The link becomes null, or its collection loses the element.
    case nullify
    /// The holder is deleted with the target. The holder is the object, or the embedded object, that has the property.
    case cascade
    /// The target cannot be deleted while the holder exists.
    case deny
}

/// The kind of an index other than the ordered index of whole values. Raw values are stored.
package enum SearchIndexKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The words of texts.
    case fullText = 1
    /// Points, by their region of the Earth.
    case geo = 2

    /// The name in a schema document.
    package var name: String {
        switch self {
        case .fullText: "fulltext"
        case .geo: "geo"
        }
    }

    /// Finds the kind with a name; nil if it does not exist.
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
    case single(ElementType)
    /// An ordered collection.
    case list(ElementType)
    /// A collection of distinct values in value order.
    case set(ElementType)
    /// Values by key, in the order of the keys' bytes. Keys are strings without `.` and `$`.
    case map(ElementType)
    /// The objects of `className` whose `property` links here. The store maintains them; they are never written.
    case linkingObjects(className: String, property: String)

    /// The element's type; nil for inverse links.
    package var element: ElementType? {
        switch self {
        case .single(let element), .list(let element), .set(let element), .map(let element): element
        case .linkingObjects: nil
        }
    }

    /// The class of the objects that it holds or leads to; nil for plain values.
    package var className: String? {
        if case .linkingObjects(let className, _) = self { return className }
        if case .object(let name)? = element { return name }
        return nil
    }

    /// Whether it holds values by key.
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

/// The value of a property that is not set in a new object.
package enum DefaultValue: Hashable, Sendable {
    case constant(Value)
    /// A random UUID, fresh for each object; `"$uuid"`.
    case uuid
    /// A generated object identifier, fresh for each object; `"$objectId"`.
    case objectID
    /// The time of the write; `"$now"`.
    case now
    /// A number above all that the class's primary keys have had so far, from 1; `"$next"`. Only for integer primary keys.
    case next
    /// The id of the user who creates the object; `"$user"`. Only for single texts, integers and identifiers.
    case user
}
