/// A type that is stored as another one, an optional one, or a collection of them.
public protocol _QueryMapped {
    /// The same of the types that are stored.
    associatedtype _Stored
}
extension Optional: _QueryMapped where Wrapped: _CustomPersistable {
    /// The same of the types that are stored.
    public typealias _Stored = Wrapped.PersistedType?
}
extension List: _QueryMapped where Element: _CustomPersistable {
    /// The same of the types that are stored.
    public typealias _Stored = List<Element.PersistedType>
}
extension MutableSet: _QueryMapped where Element: _CustomPersistable {
    /// The same of the types that are stored.
    public typealias _Stored = MutableSet<Element.PersistedType>
}
extension Map: _QueryMapped where Value: _CustomPersistable {
    /// The same of the types that are stored.
    public typealias _Stored = Map<Key, Value.PersistedType>
}

extension Query where T: _QueryMapped {
    /// The value as it is stored.
    public var persistableValue: Query<T._Stored> { Query<T._Stored>(expression) }
}

extension Query where T: _CustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(expression) }
}
