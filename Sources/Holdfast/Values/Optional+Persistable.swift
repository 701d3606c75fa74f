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
