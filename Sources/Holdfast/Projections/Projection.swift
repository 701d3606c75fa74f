/// The base class of projections: views of an object that show some of its properties, under names and in forms of their own.
///
///     class PersonProjection: Projection<Person> {
///         @Projected(\Person.firstName) var firstName
///         @Projected(\Person.address?.city) var homeCity
///         @Projected(\Person.friends.projectTo.firstName) var firstFriendsName: ProjectedCollection<String>
///     }
///
///     let people = realm.objects(PersonProjection.self)
///
/// A projection is as live as its object, and belongs to the same thread, queue or actor. Two are equal when their objects are
/// the same.
open class Projection<Root: ObjectBase>: ProjectionObservable {
    /// The object that is projected.
    public let rootObject: Root

    /// Projects an object, managed or not.
    ///
    /// The first projection of a class looks at the class's key paths: one that leads through no persisted property of the
    /// object ends the process.
    public required init(projecting object: Root) {
        rootObject = object
        _ = ProjectionClass.of(self)
    }

    /// The realm of the object; nil for an unmanaged one.
    public final var realm: Realm? { rootObject.realm }
    /// Whether the object was deleted, or its realm invalidated.
    public final var isInvalidated: Bool { rootObject.isInvalidated }
    /// Whether it shows one version for good.
    public final var isFrozen: Bool { rootObject.isFrozen }
}

@available(*, unavailable)
extension Projection: Sendable {}

extension Projection {
    /// The way to the projection: that to its object.
    public final func _makeAddress() -> _Address {
        let address = rootObject._makeAddress()
        let type = Swift.type(of: self)
        return _Address { realm in
            (address.find(realm) as? Root).map { type.init(projecting: $0) }
        }
    }

    /// How messages tell that it is not managed.
    public static var _unmanaged: (freezing: String, thawing: String) { Root._unmanaged }
}

extension Projection {
    /// Whether both project the same object, whatever of it.
    public static func == (a: Projection, b: Projection) -> Bool {
        a.rootObject.isSameObject(as: b.rootObject)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        rootObject.hashStored(into: &hasher)
    }
}

extension Projection {
    /// The type in the schema: that of the object.
    public static var _element: ElementShape { Root._element }
    /// Projects an object that is made for it.
    public static func _unset() -> Self { Self(projecting: Root._unset()) }
    /// Projects a stored object.
    public static func _decode(_ stored: StoredElement) -> Self {
        Self(projecting: Root._decode(stored))
    }
    /// Hands the object over to be stored.
    public static func _encode(_ value: Projection, to sink: ElementSink) {
        Root._encode(value.rootObject, to: sink)
    }
    /// Projects an object of the root's class.
    public static func _of(_ object: ObjectBase) -> Self { Self(projecting: Root._of(object)) }
}

extension Projection: CustomStringConvertible {
    /// The class and each projected property on a line of its own.
    public var description: String {
        let name = String(describing: Swift.type(of: self))
        if isInvalidated { return "\(name) [invalid object]" }
        let lines = ProjectionClass.of(self).properties.map { property in
            "\t\(property.name) = \(property.value(of: rootObject).map { "\($0)" } ?? "(null)");\n"
        }
        return "\(name) {\n\(lines.joined())}"
    }
}
