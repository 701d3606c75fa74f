/// A type of the program that is stored as another type: a plain value, or an embedded object.
///
///     extension URL: FailableCustomPersistable {
///         public typealias PersistedType = String
///         public init?(persistedValue: String) { self.init(string: persistedValue) }
///         public var persistableValue: String { absoluteString }
///     }
public protocol _CustomPersistable: _StoredAs where _StoredForm == PersistedType {
    /// The stored type: a plain type or an embedded object, neither an optional nor a collection.
    associatedtype PersistedType: _OptionalPersistable
    /// The stored form of the value.
    var persistableValue: PersistedType { get }
}

/// A mapped type to which every stored value can be converted.
public protocol CustomPersistable: _CustomPersistable {
    /// Makes a value from the stored value.
    init(persistedValue: PersistedType)
}

/// A mapped type to which some stored values can't be converted.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// Makes a value from the stored value; nil if it can't be converted.
    init?(persistedValue: PersistedType)
}

extension CustomPersistable {
    /// Makes a value from the stored value; nil if it can't be converted.
    public static func _value(of persisted: PersistedType) -> Self? {
        Self(persistedValue: persisted)
    }
}

extension FailableCustomPersistable {
    /// Makes a value from the stored value; nil if it can't be converted.
    public static func _value(of persisted: PersistedType) -> Self? {
        Self(persistedValue: persisted)
    }
}

extension _CustomPersistable {
    /// The stored form of the value.
    public var _storedForm: PersistedType { persistableValue }

    /// The type in the schema.
    public static var _element: ElementShape { PersistedType._element }

    /// An embedded object is optional in the store, even if the mapped property is not.
    public static var _shape: PropertyShape {
        let shape = PersistedType._element
        if case .object = shape.kind { return PropertyShape(.single, shape.optional) }
        return PropertyShape(.single, shape)
    }

    /// The value of a property without a default.
    public static func _unset() -> Self {
        guard let value = _value(of: PersistedType._unset()) else {
            Misuse.end(
                "Failed to default construct a \(Self.self) using the default value for persisted type \(PersistedType.self)."
            )
        }
        return value
    }

    /// Returns a value that stands for a tracing instance's property; nil if the type refuses the default of its stored type.
    public static func _trace(_ object: ObjectBase, field: Int) -> Self? {
        object.note(field)
        return _value(of: PersistedType._unset())
    }

    /// Reads a stored value.
    public static func _decode(_ stored: StoredElement) -> Self {
        if stored.isNull { return _unset() }
        guard let value = _decodeOptional(stored) else {
            Misuse.end(
                stored.owner.element == nil
                    ? "Failed to convert persisted value '\(stored.plain.text)' to type '\(Self.self)' in a non-optional context."
                    : "Could not convert value '\(stored.plain.text)' to type '\(Self.self)'.")
        }
        return value
    }
}
