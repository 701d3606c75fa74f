extension Query where T: _Persistable {
    /// Whether the value is another one.
    public static func == (a: Query<T>, b: T) -> Query<Bool> { a.compared("==", b) }
    /// Whether the value is not another one.
    public static func != (a: Query<T>, b: T) -> Query<Bool> { a.compared("!=", b) }
    /// Whether two values are equal.
    public static func == (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compared("==", b) }
    /// Whether two values differ.
    public static func != (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compared("!=", b) }
    /// Whether the value is one of several.
    public func `in`(_ values: some Collection<T>) -> Query<Bool> {
        compared("IN", values.map { $0 as Any })
    }
}

/// A type whose values are compared by order in queries.
public protocol _QueryOrdered: _Persistable {}
extension Int: _QueryOrdered {}
extension Int8: _QueryOrdered {}
extension Int16: _QueryOrdered {}
extension Int32: _QueryOrdered {}
extension Int64: _QueryOrdered {}
extension Float: _QueryOrdered {}
extension Double: _QueryOrdered {}
extension Decimal128: _QueryOrdered {}
extension AnyRealmValue: _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _OptionalPersistable & _QueryOrdered {}

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
    public static func > (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compared(">", b) }
    /// Whether the value is greater than another one of the object, or equal.
    public static func >= (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compared(">=", b) }
    /// Whether the value is less than another one of the object.
    public static func < (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compared("<", b) }
    /// Whether the value is less than another one of the object, or equal.
    public static func <= (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compared("<=", b) }
}

extension Query where T: _QueryOrdered & Comparable {
    /// Whether the value lies in a range, both bounds included.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
        (self >= range.lowerBound && self <= range.upperBound)
    }
    /// Whether the value lies in a range, without its upper bound.
    public func contains(_ range: Range<T>) -> Query<Bool> {
        (self >= range.lowerBound && self < range.upperBound)
    }
}
