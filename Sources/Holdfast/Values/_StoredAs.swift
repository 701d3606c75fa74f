/// A type whose values are stored as those of another one: an enum as its raw values, or a mapped type.
public protocol _StoredAs: _OptionalPersistable, _QueryAdded
where _Indexed == _StoredForm._Indexed {
    /// The type that is stored.
    associatedtype _StoredForm: _OptionalPersistable
    /// The value as it is stored.
    var _storedForm: _StoredForm { get }
    /// Makes a value of what is stored; nil where that is none.
    static func _value(of stored: _StoredForm) -> Self?
}

extension _StoredAs {
    /// Reads a stored value; nil for null, and for what is no value of the type.
    public static func _decodeOptional(_ stored: StoredElement) -> Self? {
        stored.isNull ? nil : _value(of: _StoredForm._decode(stored))
    }

    /// Hands the value over to be stored.
    public static func _encode(_ value: Self, to sink: ElementSink) {
        _StoredForm._encode(value._storedForm, to: sink)
    }

    /// Turns a value into one of the type; nil where it does not fit.
    public static func _converted(_ value: Any, _ reader: StatedValues) -> Self? {
        if let value = value as? Self { return value }
        return _StoredForm._converted(value, reader).flatMap { _value(of: $0) }
    }
}
