/// An enum that is stored as its raw values.
///
///     enum Mood: String, PersistableEnum { case happy, sad }
///
/// A stored raw value without a case is read as nil if the property is optional. Otherwise reading it ends the process.
public protocol PersistableEnum: RawRepresentable, CaseIterable, Comparable, _StoredAs
where RawValue: _Scalar & Comparable, _StoredForm == RawValue {}

extension PersistableEnum {
    /// The order of the raw values.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The raw value.
    public var _storedForm: RawValue { rawValue }
    /// The case of a raw value; nil if no case has it.
    public static func _value(of stored: RawValue) -> Self? { Self(rawValue: stored) }

    /// The type in the schema.
    public static var _element: ElementShape {
        ElementShape(RawValue._element.kind, cases: allCases.map { $0.rawValue._stored.value })
    }

    /// The value of a property without a default.
    public static func _unset() -> Self {
        guard let first = allCases.first else { Misuse.end("The enum '\(Self.self)' has no case.") }
        return first
    }

    /// Reads a stored value.
    public static func _decode(_ stored: StoredElement) -> Self {
        guard let value = _decodeOptional(stored) else {
            Misuse.end("Stored value '\(stored.plain.text)' is not a case of '\(Self.self)'.")
        }
        return value
    }
}

extension Optional: _Convertible, _Persistable, RealmCollectionValue
where Wrapped: _OptionalPersistable {
    /// The type of the values in an index.
    public typealias _Indexed = Wrapped._Indexed

    /// The type in the schema.
    public static var _element: ElementShape { Wrapped._element.optional }
    /// The value of a property without a default.
    public static func _unset() -> Wrapped? { nil }

    /// Reads a stored value.
    public static func _decode(_ stored: StoredElement) -> Wrapped? {
        Wrapped._decodeOptional(stored)
    }

    /// Returns the element of results that an object is.
    public static func _of(_ object: ObjectBase) -> Wrapped? { Wrapped._of(object) }

    /// Hands the value over to be stored.
    public static func _encode(_ value: Wrapped?, to sink: ElementSink) {
        if let value { Wrapped._encode(value, to: sink) } else { sink.null() }
    }

    /// Returns a value that stands for a tracing instance's property; nil if the type has no such value.
    public static func _trace(_ object: ObjectBase, field: Int) -> Wrapped?? {
        .some(Wrapped._trace(object, field: field))
    }
}

extension _OptionalPersistable {
    /// Reads a stored value; nil for null, and for a value of another type.
    public static func _decodeOptional(_ stored: StoredElement) -> Self? {
        stored.isNull ? nil : _decode(stored)
    }
}
