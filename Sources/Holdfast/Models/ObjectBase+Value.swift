import HoldfastObjectModel

extension ObjectBase: _ObjectView, _OptionalPersistable {
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.object(ClassReference(type: self))) }

    /// The value of a property without a default.
    public static func _unset() -> Self { Self() }

    /// Reads a stored value.
    public static func _decode(_ stored: StoredElement) -> Self {
        guard let object = stored.object(Self.self) else {
            Misuse.end("The link leads to no object.")
        }
        return object
    }

    /// Returns the element of results that an object is: results are of the element's own class.
    @inlinable
    public static func _of(_ object: consuming ObjectBase) -> Self {
        if Self.self == DynamicObject.self { return dynamic(object) }
        return unsafeDowncast(object, to: Self.self)
    }

    @usableFromInline static func dynamic(_ object: ObjectBase) -> Self {
        object.seen(as: Self.self) ?? Self()
    }

    /// Hands the value over to be stored.
    public static func _encode(_ value: ObjectBase, to sink: ElementSink) { sink.object(value) }

    /// Returns a value that stands for a tracing instance's property.
    public static func _trace(_ object: ObjectBase, field: Int) -> Self? {
        KeyPathTrace.follow(object, field, Self.self)
    }

    /// Whether two objects are the same stored object of one realm, or one unmanaged object.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool { a.isEqual(b) }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        if place?.hasIdentity ?? false {
            hashStored(into: &hasher)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    /// Hashes what ``isSameObject(as:)`` compares.
    final func hashStored(into hasher: inout Hasher) {
        guard let place else { return hasher.combine(ObjectIdentifier(self)) }
        hasher.combine(place.rootClass.number)
        hasher.combine(place.key)
    }

    final func isEqual(_ other: ObjectBase) -> Bool {
        if self === other { return true }
        guard let place, let otherPlace = other.place, place.hasIdentity, otherPlace.hasIdentity
        else {
            return false
        }
        return isSame(as: otherPlace)
    }

    private final func isSame(as other: ObjectPlace) -> Bool {
        guard let place else { return false }
        return place.realm === other.realm && place.rootClass.number == other.rootClass.number
            && place.key == other.key && place.steps == other.steps
            && place.isGone == other.isGone
    }

    /// Whether both are the same stored object, whether or not their class has a primary key.
    public final func isSameObject(as other: ObjectBase?) -> Bool {
        guard let other else { return false }
        if self === other { return true }
        return other.place.map { isSame(as: $0) } ?? false
    }
}

extension ObjectPlace {
    /// Whether two views of the place are equal: of an object with a primary key, and of a frozen one.
    var hasIdentity: Bool {
        way == nil && (realm.isFrozen || binding.rowClass.primaryKeyIndex != nil)
    }
}

extension ObjectBase {
    /// Whether the object was deleted, or its realm invalidated. False for an unmanaged one.
    public final var isInvalidated: Bool {
        guard let place else { return false }
        place.realm.checkThread()
        return place.realm.row(of: place) == nil
    }

    /// The realm of the object; nil for an unmanaged one.
    public final var realm: Realm? { place.map { Realm($0.realm) } }

    /// Whether the object shows one version for good.
    public final var isFrozen: Bool { place?.realm.isFrozen ?? false }
}
