import HoldfastObjectModel

/// A type with values that are stored as another type: an enum as its raw values, or a mapped type.
public protocol _StoredAs: _OptionalPersistable, _QueryAdded
where _Indexed == _StoredForm._Indexed {
    /// The type that is stored.
    associatedtype _StoredForm: _OptionalPersistable
    var _storedForm: _StoredForm { get }
    /// Makes a value from the stored value; nil if it can't be converted.
    static func _value(of stored: _StoredForm) -> Self?
}

extension _StoredAs {
    /// Reads a stored value; nil for null, and for a value of another type.
    public static func _decodeOptional(_ stored: StoredElement) -> Self? {
        stored.isNull ? nil : _value(of: _StoredForm._decode(stored))
    }

    /// Hands the value over to be stored.
    public static func _encode(_ value: Self, to sink: ElementSink) {
        _StoredForm._encode(value._storedForm, to: sink)
    }

    /// Converts a value to the type; nil if it does not fit.
    public static func _converted(_ value: Any, _ reader: ExplicitValues) -> Self? {
        if let value = value as? Self { return value }
        return _StoredForm._converted(value, reader).flatMap { _value(of: $0) }
    }
}

/// Receives one value to be stored.
public struct ElementSink {
    let taker: any ElementTaker

    /// Receives null.
    func null() { taker.null() }
    /// Receives a plain value.
    func plain(_ value: Value) { taker.plain(value) }
    /// Receives an object: a link to it, or a copy of an embedded object.
    func object(_ object: ObjectBase) { taker.object(object) }
    /// Receives an `AnyRealmValue`, which `write` hands over.
    func mixed(_ write: (MixedSink) -> Void) { taker.mixed(write) }
}

/// The receiver of an ``ElementSink``'s value.
protocol ElementTaker: AnyObject {
    func null()
    func plain(_ value: Value)
    func object(_ object: ObjectBase)
    func mixed(_ write: (MixedSink) -> Void)
}
