extension Query where T: _QueryCollection {
    /// Whether the collection contains an element.
    public func contains(_ element: T._QueriedElement) -> Query<Bool> { anyElement.equal(element) }
    /// Whether the collection contains one of several elements.
    public func containsAny(in elements: some Sequence<T._QueriedElement>) -> Query<Bool> {
        anyElement.in(elements)
    }
    /// The number of elements.
    public var count: Query<Int> { single("@count") }

    /// The elements. A comparison is met if one element meets it.
    fileprivate var anyElement: Query<T._QueriedElement> { Query<T._QueriedElement>(path) }

    /// Whether one of the elements equals a value.
    public static func == (a: Query<T>, b: T._QueriedElement) -> Query<Bool> { a.anyElement == b }
    /// Whether one of the elements differs from a value.
    public static func != (a: Query<T>, b: T._QueriedElement) -> Query<Bool> {
        a.anyElement.compared("!=", b)
    }
}

extension Query where T: _QueryCollection, T._QueriedElement: _QueryOrdered {
    /// Whether one of the elements is greater.
    public static func > (a: Query<T>, b: T._QueriedElement) -> Query<Bool> { a.anyElement > b }
    /// Whether one of the elements is greater or equal.
    public static func >= (a: Query<T>, b: T._QueriedElement) -> Query<Bool> { a.anyElement >= b }
    /// Whether one of the elements is less.
    public static func < (a: Query<T>, b: T._QueriedElement) -> Query<Bool> { a.anyElement < b }
    /// Whether one of the elements is less or equal.
    public static func <= (a: Query<T>, b: T._QueriedElement) -> Query<Bool> { a.anyElement <= b }
}

extension Query where T: _QueryCollection, T._QueriedElement: _QueryOrdered {
    /// The least element.
    public var min: Query<T._QueriedElement> { single("@min") }
    /// The greatest element.
    public var max: Query<T._QueriedElement> { single("@max") }
    /// The mean of the elements.
    public var avg: Query<T._QueriedElement> { single("@avg") }
    /// The sum of the elements.
    public var sum: Query<T._QueriedElement> { single("@sum") }
}

extension Query where T: _QueryCollection, T._QueriedElement: _QueryAdded {
    /// The mean of the elements, compared with a fraction.
    @_disfavoredOverload public var avg: Query<Double> { single("@avg") }
}

extension Query where T: _QueryCollection, T._QueriedElement: _QueryOrdered & Comparable {
    /// Whether there are elements, and all lie in a range, both bounds included.
    public func contains(_ range: ClosedRange<T._QueriedElement>) -> Query<Bool> {
        min >= range.lowerBound && max <= range.upperBound
    }
    /// Whether there are elements, and all lie in a range, without its upper bound.
    public func contains(_ range: Range<T._QueriedElement>) -> Query<Bool> {
        min >= range.lowerBound && max < range.upperBound
    }
}

extension Query where T: _QueryCollection {
    /// Whether there are elements other than nil, and all of them lie in a range, both bounds included.
    public func contains<V: _QueryOrdered & Comparable & _OptionalPersistable>(
        _ range: ClosedRange<V>
    ) -> Query<Bool> where T._QueriedElement == V? {
        min >= range.lowerBound && max <= range.upperBound
    }
    /// Whether there are elements other than nil, and all of them lie in a range, without its upper bound.
    public func contains<V: _QueryOrdered & Comparable & _OptionalPersistable>(
        _ range: Range<V>
    ) -> Query<Bool> where T._QueriedElement == V? {
        min >= range.lowerBound && max < range.upperBound
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
    public var avg: Query<T> { aggregated("@avg") }

    fileprivate func aggregated<V>(_ operation: String) -> Query<V> {
        var path = path
        guard path.isMany else {
            Misuse.end("The aggregate needs a property of the objects of a collection.")
        }
        path.steps.insert(operation, at: path.steps.count - 1)
        path.isSingle = true
        return Query<V>(path)
    }
}

extension Query where T: _QueryAdded {
    /// The mean of the values of a collection's objects, compared with a fraction.
    @_disfavoredOverload public var avg: Query<Double> { aggregated("@avg") }
}

extension Query {
    /// The value of a key.
    public subscript<V: RealmCollectionValue>(key: String) -> Query<V> where T == Map<String, V> {
        var path = path.indexed(QueryExpression.quoted(key))
        // From here on, the map does not count as a collection on the path.
        path.collectionEnds.removeLast()
        path.isSubscripted = true
        return Query<V>(path)
    }

    fileprivate func through<V>(_ operation: String) -> Query<V> {
        var path = path
        path.steps.append(operation)
        path.collectionEnds[path.collectionEnds.count - 1] = path.steps.count
        return Query<V>(path)
    }
}

/// `Map`.
public protocol _QueryMap: _QueryCollection {}
extension Map: _QueryMap {}

extension Query where T: _QueryMap {
    /// The keys. A comparison is met if one key meets it.
    public var keys: Query<String> { through("@keys") }
    /// The values. A comparison is met if one value meets it.
    public var values: Query<T._QueriedElement> { through("@values") }
}
