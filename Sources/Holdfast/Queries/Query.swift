/// A condition of `where`, or the way to a value in one.
///
///     realm.objects(Person.self).where { $0.name.starts(with: "A") && $0.dogs.age > 3 }
///
/// A value of one of many is compared with any of them. The condition is checked and planned as a text filter is.
@dynamicMemberLookup
public struct Query<T> {
    let expression: QueryExpression

    init(_ expression: QueryExpression) { self.expression = expression }
    init(_ path: QueryExpression.Path) { expression = QueryExpression([.path(path)]) }

    /// The objects themselves.
    init() { self.init(QueryExpression.Path()) }

    var path: QueryExpression.Path {
        guard let path = expression.path else { Misuse.end("A condition has no properties.") }
        return path
    }

    func appending<V>(_ steps: [String], isCollection: Bool) -> Query<V> {
        var path = path
        path.steps += steps
        if isCollection, path.collectionEnd == nil { path.collectionEnd = path.steps.count }
        return Query<V>(path)
    }

    func single<V>(_ steps: [String]) -> Query<V> {
        var path = path
        path.steps += steps
        path.isSingle = true
        return Query<V>(path)
    }

    /// Compares with a value.
    func compared(_ operation: String, _ value: Any) -> Query<Bool> {
        Query<Bool>(expression + QueryExpression([.text(" \(operation) "), .argument(value)]))
    }

    /// Compares with another value of the object.
    func compared<V>(_ operation: String, _ other: Query<V>) -> Query<Bool> {
        if let a = expression.path, let b = other.expression.path, a.collectionEnd != nil,
            !a.isSingle,
            b.collectionEnd != nil, !b.isSingle
        {
            Misuse.end("Comparing two collection columns is not permitted.")
        }
        return Query<Bool>(
            expression + QueryExpression([.text(" \(operation) ")]) + other.expression)
    }
}

// MARK: - Paths

extension Query where T: ObjectBase {
    /// A property of the object.
    public subscript<V: _Persistable>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
        appending(KeyPathNames.names(of: member), isCollection: V._shape.kind != .single)
    }
}

extension Query {
    /// A property of the object that is linked to.
    public subscript<O: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<O, V>) -> Query<
        V
    > where T == O? {
        appending(KeyPathNames.names(of: member), isCollection: V._shape.kind != .single)
    }

    /// A property of each object of the list.
    public subscript<O: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<O, V>) -> Query<
        V
    > where T == List<O> {
        appending(KeyPathNames.names(of: member), isCollection: true)
    }

    /// A property of each object of the set.
    public subscript<O: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<O, V>) -> Query<
        V
    >
    where T == MutableSet<O> {
        appending(KeyPathNames.names(of: member), isCollection: true)
    }

    /// A property of each object that links here.
    public subscript<O: ObjectBase, V: _Persistable>(dynamicMember member: KeyPath<O, V>) -> Query<
        V
    >
    where T == LinkingObjects<O> {
        appending(KeyPathNames.names(of: member), isCollection: true)
    }
}

// MARK: - Logic

extension Query where T == Bool {
    /// Whether a condition does not hold.
    public static prefix func ! (a: Query<Bool>) -> Query<Bool> {
        Query(QueryExpression([.text("NOT (")] + a.expression.condition.pieces + [.text(")")]))
    }
    /// Whether both conditions hold.
    public static func && (a: Query<Bool>, b: Query<Bool>) -> Query<Bool> { joined(a, "AND", b) }
    /// Whether one of two conditions holds.
    public static func || (a: Query<Bool>, b: Query<Bool>) -> Query<Bool> { joined(a, "OR", b) }

    private static func joined(_ a: Query<Bool>, _ word: String, _ b: Query<Bool>) -> Query<Bool> {
        Query(
            QueryExpression(
                [.text("(")] + a.expression.condition.pieces + [.text(") \(word) (")]
                    + b.expression.condition.pieces + [.text(")")]))
    }

    /// How many elements of the condition's collection meet it.
    public var count: Query<Int> { Query<Int>(expression.subqueryCount) }
}
