// The usual mistakes of a program that is moved from Realm, or from plain Swift types: the compiler names the form to write.

/// A type that looks as if a property of a class of objects could have it.
///
/// Its conformances are unavailable, so that nothing of them is ever called.
@_documentation(visibility: private)
public protocol _UnavailablePersistable: _Persistable {
    /// An empty value.
    init()
}

extension _UnavailablePersistable {
    /// The type in the schema.
    public static var _shape: PropertyShape {
        PropertyShape(.single, ElementShape(.scalar(.mixed)))
    }
    /// An empty value.
    public static func _unset() -> Self { Self() }
    /// An empty value.
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> Self { Self() }
    /// Does nothing.
    public static func _assign(_ value: Self, _ object: ObjectBase, _ position: FieldPosition) {}
    /// Nil.
    public static func _trace(_ object: ObjectBase, field: Int) -> Self? { nil }
    /// Does nothing.
    public static func _state(_ value: Self, in statement: Statement) {}
}

@available(*, unavailable, message: "a list is stored as List: '@Persisted var dogs: List<Dog>'")
extension Array: _UnavailablePersistable {}

@available(
    *, unavailable,
    message: "a set is stored as MutableSet: '@Persisted var tags: MutableSet<String>'"
)
extension Set: _UnavailablePersistable {}

@available(
    *, unavailable,
    message: "a dictionary is stored as Map: '@Persisted var marks: Map<String, Int>'"
)
extension Dictionary: _UnavailablePersistable {}

extension Persisted where Value: BinaryFloatingPoint {
    /// Numbers with fractions are no keys: two that look equal may differ.
    @available(
        *, unavailable,
        message:
            "a primary key is an integer, a String, an ObjectId or a UUID, and no floating-point number"
    )
    public init(primaryKey: Bool) { self.init() }
}

extension _Queried {
    /// Conditions are texts or closures: the library has no `NSPredicate`.
    @available(
        *, unavailable,
        message:
            "write the condition as a text, filter(\"age > $0\", 3), or as a closure, where { $0.age > 3 }"
    )
    public func filter(_ predicate: some AnyObject) -> Results<_QueriedElement> {
        filter("TRUEPREDICATE")
    }
}
