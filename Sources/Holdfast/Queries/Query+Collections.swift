/// `List`, `MutableSet` and `LinkingObjects`.
public protocol _QueryCollection: _Persistable {
    /// The type of the elements.
    associatedtype QueryElement: RealmCollectionValue
}
extension List: _QueryCollection {
    /// The type of the elements.
    public typealias QueryElement = Element
}
extension MutableSet: _QueryCollection {
    /// The type of the elements.
    public typealias QueryElement = Element
}
extension LinkingObjects: _QueryCollection {
    /// The type of the elements.
    public typealias QueryElement = Element
}

extension Query where T: _QueryCollection {
    /// Whether an element is there.
    public func contains(_ element: T.QueryElement) -> Query<Bool> {
        Query<Bool>(
            QueryExpression([.text("ANY "), .path(whole), .text(" == "), .argument(element)]))
    }
    /// Whether one of several elements is there.
    public func containsAny(in elements: some Collection<T.QueryElement>) -> Query<Bool> {
        Query<Bool>(
            QueryExpression([
                .text("ANY "), .path(whole), .text(" IN "), .argument(elements.map { $0 as Any }),
            ]))
    }
    /// The number of elements.
    public var count: Query<Int> { single(["@count"]) }
    /// The least element.
    public var min: Query<T.QueryElement> { single(["@min"]) }
    /// The greatest element.
    public var max: Query<T.QueryElement> { single(["@max"]) }
    /// The mean of the elements.
    public var avg: Query<Double> { single(["@avg"]) }
    /// The sum of the elements.
    public var sum: Query<T.QueryElement> { single(["@sum"]) }

    /// The collection as a whole.
    private var whole: QueryExpression.Path {
        var path = path
        path.isSingle = true
        return path
    }
}

extension Query where T: _QueryOrdered {
    /// The least of the values of a collection's objects.
    public var min: Query<T> { aggregated("@min") }
    /// The greatest of the values of a collection's objects.
    public var max: Query<T> { aggregated("@max") }
    /// The sum of the values of a collection's objects.
    public var sum: Query<T> { aggregated("@sum") }
    /// The mean of the values of a collection's objects.
    public var avg: Query<Double> { aggregated("@avg") }

    private func aggregated<V>(_ operation: String) -> Query<V> {
        var path = path
        guard let end = path.collectionEnd else {
            Misuse.end("The aggregate needs a property of the objects of a collection.")
        }
        path.steps.insert(operation, at: end)
        path.isSingle = true
        return Query<V>(path)
    }
}

extension Query {
    /// The value of a key.
    public subscript<V: RealmCollectionValue>(key: String) -> Query<V> where T == Map<String, V> {
        var path = path
        let escaped = key.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        if !path.steps.isEmpty { path.steps[path.steps.count - 1] += "['\(escaped)']" }
        path.collectionEnd = nil
        return Query<V>(path)
    }
}

/// `Map`.
public protocol _QueryMap: _Persistable {
    /// The type of the values.
    associatedtype QueryValue: RealmCollectionValue
}
extension Map: _QueryMap {
    /// The type of the values.
    public typealias QueryValue = Value
}

extension Query where T: _QueryMap {
    /// The keys, of which one has to meet a comparison.
    public var keys: Query<String> { appending(["@keys"], isCollection: true) }
    /// The values, of which one has to meet a comparison.
    public var values: Query<T.QueryValue> { appending(["@values"], isCollection: true) }
    /// The number of entries.
    public var count: Query<Int> { single(["@count"]) }
}

extension Query where T: PersistableEnum {
    /// The raw value.
    public var rawValue: Query<T.RawValue> { Query<T.RawValue>(expression) }
}

extension Query where T: _CustomPersistable {
    /// The value as it is stored.
    public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(expression) }
}
