/// An enum whose raw values are stored, an optional one, or a collection of them.
public protocol _QueryRaw {
    /// The same of raw values.
    associatedtype _Raw
}
extension Optional: _QueryRaw where Wrapped: PersistableEnum {
    /// The same of raw values.
    public typealias _Raw = Wrapped.RawValue?
}
extension List: _QueryRaw where Element: PersistableEnum {
    /// The same of raw values.
    public typealias _Raw = List<Element.RawValue>
}
extension MutableSet: _QueryRaw where Element: PersistableEnum {
    /// The same of raw values.
    public typealias _Raw = MutableSet<Element.RawValue>
}
extension Map: _QueryRaw where Value: PersistableEnum {
    /// The same of raw values.
    public typealias _Raw = Map<Key, Value.RawValue>
}

extension Query where T: _QueryRaw {
    /// The raw value.
    public var rawValue: Query<T._Raw> { Query<T._Raw>(expression) }
}

extension Query where T: PersistableEnum {
    /// The raw value.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(expression) }
}
