/// A condition of `where`, or the way to a value in one.
///
///     realm.objects(Person.self).where { $0.name.starts(with: "A") && $0.dogs.age > 3 }
///
/// A value of one of many is compared with any of them. The condition is checked and planned as a text filter is.
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

    /// Compares with a value.
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
    /// A property of the object that is linked to.
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
    /// Whether a condition does not hold.
    public static prefix func ! (a: Query<Bool>) -> Query<Bool> { Query(a.expression.negated) }
    /// Whether both conditions hold.
    public static func && (a: Query<Bool>, b: Query<Bool>) -> Query<Bool> {
        Query(.joined([a.expression, b.expression], "AND"))
    }
    /// Whether one of two conditions holds.
    public static func || (a: Query<Bool>, b: Query<Bool>) -> Query<Bool> {
        Query(.joined([a.expression, b.expression], "OR"))
    }

    /// How many elements of the condition's collection meet it.
    ///
    ///     realm.objects(Person.self).where { ($0.dogs.age > 3 && $0.dogs.name == "Rex").count >= 2 }
    public var count: Query<Int> { Query<Int>(expression.subqueryCount) }
}
