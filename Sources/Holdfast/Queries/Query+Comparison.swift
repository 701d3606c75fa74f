extension Query where T: RealmCollectionValue {
    /// Whether the value is another one; of an embedded object, and what is stored as one, whether all its properties are.
    public static func == (a: Query<T>, b: T) -> Query<Bool> { a.equal(b) }
    /// Whether the value is not another one.
    public static func != (a: Query<T>, b: T) -> Query<Bool> {
        a.path(of: b).map { Query<Bool>(QueryExpression.equal($0, b).negated) }
            ?? a.compared("!=", b)
    }
    /// Whether the value is one of several.
    public func `in`(_ values: some Sequence<T>) -> Query<Bool> {
        let values = values.map { $0 as Any }
        return expression.path.map { Query<Bool>(.isIn($0, values)) } ?? compared("IN", values)
    }

    func equal(_ value: T) -> Query<Bool> {
        path(of: value).map { Query<Bool>(.equal($0, value)) } ?? compared("==", value)
    }

    /// The path, where values are objects, which may have to be compared by their properties.
    private func path(of value: T) -> QueryExpression.Path? {
        guard case .object = T._element.kind else { return nil }
        return expression.path
    }
}

extension Query where T: _Persistable {
    /// Whether the value is another one of the object.
    public static func == <V: _Persistable>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared("==", b)
    }
    /// Whether the value is not another one of the object.
    public static func != <V: _Persistable>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared("!=", b)
    }
}

extension Query where T: _QueryOrdered {
    /// Whether the value is greater.
    public static func > (a: Query<T>, b: T) -> Query<Bool> { a.compared(">", b) }
    /// Whether the value is greater or equal.
    public static func >= (a: Query<T>, b: T) -> Query<Bool> { a.compared(">=", b) }
    /// Whether the value is less.
    public static func < (a: Query<T>, b: T) -> Query<Bool> { a.compared("<", b) }
    /// Whether the value is less or equal.
    public static func <= (a: Query<T>, b: T) -> Query<Bool> { a.compared("<=", b) }
    /// Whether the value is greater than another one of the object.
    public static func > <V: _QueryOrdered>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared(">", b)
    }
    /// Whether the value is greater than another one of the object, or equal.
    public static func >= <V: _QueryOrdered>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared(">=", b)
    }
    /// Whether the value is less than another one of the object.
    public static func < <V: _QueryOrdered>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared("<", b)
    }
    /// Whether the value is less than another one of the object, or equal.
    public static func <= <V: _QueryOrdered>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared("<=", b)
    }
}

extension Query where T: _QueryOrdered & Comparable {
    /// Whether the value lies in a range, both bounds included.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        self >= range.lowerBound && self <= range.upperBound
    }
    /// Whether the value lies in a range, without its upper bound.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        self >= range.lowerBound && self < range.upperBound
    }
}

extension Query {
    /// Whether the value lies in a range, both bounds included; nil does not.
    public func contains<V: _QueryOrdered & Comparable & _OptionalPersistable>(
        _ range: ClosedRange<V>
    ) -> Query<Bool> where T == V? {
        self >= range.lowerBound && self <= range.upperBound
    }
    /// Whether the value lies in a range, without its upper bound; nil does not.
    public func contains<V: _QueryOrdered & Comparable & _OptionalPersistable>(
        _ range: Range<V>
    ) -> Query<Bool> where T == V? {
        self >= range.lowerBound && self < range.upperBound
    }
}
