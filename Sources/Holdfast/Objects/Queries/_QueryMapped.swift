/// An optional or a collection of values that are stored as another type.
public protocol _QueryMapped {
    /// The type of the values.
    associatedtype _Mapped: _StoredAs
    /// The same with the type of the stored values.
    associatedtype _Stored
}
extension Optional: _QueryMapped where Wrapped: _StoredAs {
    /// The type of the values.
    public typealias _Mapped = Wrapped
    /// The same with the type of the stored values.
    public typealias _Stored = Wrapped._StoredForm?
}
extension List: _QueryMapped where Element: _StoredAs {
    /// The type of the values.
    public typealias _Mapped = Element
    /// The same with the type of the stored values.
    public typealias _Stored = List<Element._StoredForm>
}
extension MutableSet: _QueryMapped where Element: _StoredAs {
    /// The type of the values.
    public typealias _Mapped = Element
    /// The same with the type of the stored values.
    public typealias _Stored = MutableSet<Element._StoredForm>
}
extension Map: _QueryMapped where Value: _StoredAs {
    /// The type of the values.
    public typealias _Mapped = Value
    /// The same with the type of the stored values.
    public typealias _Stored = Map<Key, Value._StoredForm>
}

extension Query where T: _QueryMapped, T._Mapped: _CustomPersistable {
    /// The stored form of the value.
    public var persistableValue: Query<T._Stored> { Query<T._Stored>(expression) }
}

extension Query where T: _CustomPersistable {
    /// The stored form of the value.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(expression) }
}

extension Query where T: _QueryMapped, T._Mapped: PersistableEnum {
    /// The raw value.
    public var rawValue: Query<T._Stored> { Query<T._Stored>(expression) }
}

extension Query where T: PersistableEnum {
    /// The raw value.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(expression) }
}
