extension Query where T == AnyRealmValue {
    /// The element at a position, of a value that is a list.
    public subscript(position: Int) -> Query<AnyRealmValue> {
        if position < 0 { Misuse.end("Cannot use a negative value \(position) as an index.") }
        return Query(path.indexed("\(position)"))
    }

    /// The value of a key, of a value that is a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> {
        Query(path.indexed(QueryExpression.quoted(key)))
    }

    /// The elements or values, of a value that is a list or dictionary, of which one has to meet a comparison.
    public var any: Query<AnyRealmValue> {
        var path = path.indexed("*")
        path.collectionEnds.append(path.steps.count)
        return Query(path)
    }
}

extension QueryExpression {
    /// A text in the quotes of the query language.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

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

extension Query where T: PersistableEnum {
    /// The raw value.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(expression) }
}

extension Query where T: _CustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(expression) }
}
