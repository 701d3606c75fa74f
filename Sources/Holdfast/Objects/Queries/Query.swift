/// A condition of `where`, or the path to a value in a condition.
///
///     realm.objects(Person.self).where { $0.name.starts(with: "A") && $0.dogs.age > 3 }
///
/// A comparison of several values is met if one of them meets it. The condition is checked and planned like a text filter.
@dynamicMemberLookup
public struct Query<T> {
    let expression: QueryExpression

    init(_ expression: QueryExpression) { self.expression = expression }
    init(_ path: QueryExpression.Path) { expression = QueryExpression(path) }

    /// The elements themselves.
    init() { self.init(QueryExpression.Path()) }

    var path: QueryExpression.Path {
        guard let path = expression.path else { Misuse.end("A condition has no properties.") }
        return path
    }

    func appending<V>(_ steps: [String], isCollection: Bool) -> Query<V> {
        var path = path
        if path.isSubscripted { Misuse.end("Cannot apply key path to Map subscripts.") }
        if path.steps.isEmpty { path.steps = steps } else { path.steps += steps }
        if isCollection { path.collectionEnds.append(path.steps.count) }
        return Query<V>(path)
    }

    /// One value of a collection: its count, or an aggregate.
    func single<V>(_ operation: String) -> Query<V> {
        var path = path
        path.steps.append(operation)
        path.isSingle = true
        return Query<V>(path)
    }

    /// Compares with a value that a property may have.
    func compared<V: _Persistable>(_ operation: String, _ value: V) -> Query<Bool> {
        compared(operation, V._argument(value))
    }

    func compared(_ operation: String, _ value: Any) -> Query<Bool> {
        Query<Bool>(expression.compared(operation, .argument(value)))
    }

    /// Compares with another value of the object.
    func compared<V>(_ operation: String, _ other: Query<V>) -> Query<Bool> {
        if expression.path?.isMany ?? false, other.expression.path?.isMany ?? false {
            Misuse.end("Comparing two collection columns is not permitted.")
        }
        return Query<Bool>(expression.compared(operation) + other.expression)
    }
}

// MARK: - Paths

extension Query where T: ObjectBase {
    /// A property of the object.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
        appending(KeyPathNames.valueNames(of: member), isCollection: V._shape.kind != .single)
    }
}

extension Query {
    /// A property of the linked object.
    public subscript<O: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<O, V>) -> Query<
        V
    > where T == O? {
        appending(KeyPathNames.valueNames(of: member), isCollection: V._shape.kind != .single)
    }
}

extension Query where T: _QueryCollection, T._QueriedElement: ObjectBase {
    /// A property of each object.
    public subscript<V: _Persistable>(
        dynamicMember member: KeyPath<T._QueriedElement, V>
    ) -> Query<V> {
        appending(KeyPathNames.valueNames(of: member), isCollection: V._shape.kind != .single)
    }
}

// MARK: - Logic

extension Query where T == Bool {
    /// Whether the condition is not met.
    public static prefix func ! (a: Query<Bool>) -> Query<Bool> { Query(a.expression.negated) }
    /// Whether both conditions are met.
    public static func && (a: Query<Bool>, b: Query<Bool>) -> Query<Bool> {
        Query(.joined([a.expression, b.expression], "AND"))
    }
    /// Whether at least one of the conditions is met.
    public static func || (a: Query<Bool>, b: Query<Bool>) -> Query<Bool> {
        Query(.joined([a.expression, b.expression], "OR"))
    }

    /// The number of elements of the condition's collection that meet it.
    ///
    ///     realm.objects(Person.self).where { ($0.dogs.age > 3 && $0.dogs.name == "Rex").count >= 2 }
    public var count: Query<Int> { Query<Int>(expression.subqueryCount) }
}

/// An embedded object that is a point, or a list of them.
public protocol _QueryPoint {}
extension EmbeddedObject: _QueryPoint {}
extension Optional: _QueryPoint where Wrapped: EmbeddedObject {}
extension List: _QueryPoint where Element: EmbeddedObject {}
extension Map: _QueryPoint where Value: _QueryPoint {}

extension Query where T: _QueryPoint {
    /// Whether the point, or one of several, lies in a box.
    public func geoWithin(_ box: GeoBox) -> Query<Bool> { compared("geoWithin", box) }
    /// Whether the point, or one of several, lies in a circle.
    public func geoWithin(_ circle: GeoCircle) -> Query<Bool> { compared("geoWithin", circle) }
    /// Whether the point, or one of several, lies in a polygon.
    public func geoWithin(_ polygon: GeoPolygon) -> Query<Bool> { compared("geoWithin", polygon) }
}

extension Query where T == AnyRealmValue {
    /// The element at a position, if the value is a list.
    public subscript(position: Int) -> Query<AnyRealmValue> {
        if position < 0 { Misuse.end("Cannot use a negative value \(position) as an index.") }
        return Query(path.indexed("\(position)"))
    }

    /// The value of a key, if the value is a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> {
        Query(path.indexed(QueryExpression.quoted(key)))
    }

    /// The elements of a list or the values of a dictionary. A comparison is met if one of them meets it.
    public var any: Query<AnyRealmValue> {
        var path = path.indexed("*")
        path.collectionEnds.append(path.steps.count)
        return Query(path)
    }
}

extension QueryExpression {
    /// A text, quoted for the query language.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

/// Types with values that are, or may be, texts or bytes.
public protocol _QueryText: _Persistable {}
extension String: _QueryText {}
extension Data: _QueryText {}
extension AnyRealmValue: _QueryText {}
extension Optional: _QueryText where Wrapped: _OptionalPersistable & _QueryText {}

extension Query where T: _QueryText {
    /// Whether the text contains another text.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("CONTAINS\(options.text)", value)
    }
    /// Whether the text begins with another text.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared("BEGINSWITH\(options.text)", value)
    }
    /// Whether the text ends with another text.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared("ENDSWITH\(options.text)", value)
    }
    /// Whether the text matches a pattern: `?` is any character, `*` any number of them.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(caseInsensitive ? "LIKE[c]" : "LIKE", value)
    }
    /// Whether the text equals another text.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("==\(options.text)", value)
    }
    /// Whether the text differs from another text.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("!=\(options.text)", value)
    }
}

/// Comparisons with another text of the object.
extension Query where T: _QueryText {
    /// Whether the text contains another text of the object.
    public func contains<U: _QueryText>(
        _ value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("CONTAINS\(options.text)", value)
    }
    /// Whether the text begins with another text of the object.
    public func starts<U: _QueryText>(
        with value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("BEGINSWITH\(options.text)", value)
    }
    /// Whether the text ends with another text of the object.
    public func ends<U: _QueryText>(
        with value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("ENDSWITH\(options.text)", value)
    }
    /// Whether the text matches a pattern that is another text of the object.
    public func like<U: _QueryText>(
        _ value: Query<U>, caseInsensitive: Bool = false
    ) -> Query<Bool> {
        compared(caseInsensitive ? "LIKE[c]" : "LIKE", value)
    }
    /// Whether the text equals another text of the object.
    public func equals<U: _QueryText>(
        _ value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("==\(options.text)", value)
    }
    /// Whether the text differs from another text of the object.
    public func notEquals<U: _QueryText>(
        _ value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("!=\(options.text)", value)
    }
}

extension Query where T: RealmCollectionValue {
    /// Whether the value equals another value. An embedded object, and a value that is stored as one, is equal if all its
    /// properties are equal.
    public static func == (a: Query<T>, b: T) -> Query<Bool> { a.equal(b) }
    /// Whether the value differs from another value.
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

    /// The path, if the values are objects, which may have to be compared by their properties.
    private func path(of value: T) -> QueryExpression.Path? {
        guard case .object = T._element.kind else { return nil }
        return expression.path
    }
}

extension Query where T: _Persistable {
    /// Whether the value equals another value of the object.
    public static func == <V: _Persistable>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared("==", b)
    }
    /// Whether the value differs from another value of the object.
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
    /// Whether the value is greater than another value of the object.
    public static func > <V: _QueryOrdered>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared(">", b)
    }
    /// Whether the value is greater than another value of the object, or equal.
    public static func >= <V: _QueryOrdered>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared(">=", b)
    }
    /// Whether the value is less than another value of the object.
    public static func < <V: _QueryOrdered>(a: Query<T>, b: Query<V>) -> Query<Bool> {
        a.compared("<", b)
    }
    /// Whether the value is less than another value of the object, or equal.
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

/// The options of text comparisons.
public struct StringOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int
    /// Options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Letters of both cases are equal.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters with and without accents are equal.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    var text: String {
        switch (contains(.caseInsensitive), contains(.diacriticInsensitive)) {
        case (true, true): "[cd]"
        case (true, false): "[c]"
        case (false, true): "[d]"
        case (false, false): ""
        }
    }
}
