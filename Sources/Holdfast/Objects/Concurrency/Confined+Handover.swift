import HoldfastObjectStore

// The addresses of objects, results and collections.

extension ObjectBase: ThreadConfined {
    /// The address of the object.
    public final func _makeAddress() -> _Address {
        let address = ObjectAddress(requireRow().place)
        return _Address { address.object(in: $0) }
    }

    /// The wording of messages about an unmanaged object.
    public static var _unmanaged: (freezing: String, thawing: String) {
        ("Unmanaged objects cannot be frozen.", "Unmanaged objects cannot be thawed.")
    }
}

extension Results: ThreadConfined {
    /// The address of the results.
    public func _makeAddress() -> _Address { core.address { Results($0) } }
}

extension List: ThreadConfined {
    /// The address of the list.
    public func _makeAddress() -> _Address { CollectionReference.address(place) { List($0) } }
}

extension MutableSet: ThreadConfined {
    /// The address of the set.
    public func _makeAddress() -> _Address { CollectionReference.address(place) { MutableSet($0) } }
}

extension Map: ThreadConfined {
    /// The address of the map.
    public func _makeAddress() -> _Address { CollectionReference.address(place) { Map($0) } }
}

extension LinkingObjects: ThreadConfined {
    /// The address of the inverse link.
    public func _makeAddress() -> _Address {
        guard let place else { Misuse.end(Self._unmanaged.freezing) }
        return place.address { LinkingObjects($0) }
    }
}

extension AnyRealmCollection: ThreadConfined {
    /// The address of the collection.
    public func _makeAddress() -> _Address { Self.address(base) }

    private static func address<C: RealmCollection>(_ base: C) -> _Address
    where C.ElementType == Element {
        let address = base._makeAddress()
        return _Address { realm in (address.find(realm) as? C).map { AnyRealmCollection($0) } }
    }
}

extension AnyRealmKeyedCollection: ThreadConfined {
    /// The address of the map.
    public func _makeAddress() -> _Address { Self.address(base) }

    private static func address<C: RealmKeyedCollection>(_ base: C) -> _Address
    where C.Key == Key, C.Value == Value {
        let address = base._makeAddress()
        return _Address { realm in (address.find(realm) as? C).map { AnyRealmKeyedCollection($0) } }
    }
}

extension ResultsCore {
    /// The address of the results, from which `make` makes the program's results.
    func address<T>(_ make: @escaping (ResultsCore) -> T) -> _Address {
        let base = base.address
        return _Address { [parts] realm in
            realm.checkThread()
            return (base.find(realm) as? ResultsBase).map { make(ResultsCore(realm, $0, parts)) }
        }
    }
}

extension ResultsBase {
    /// The address of the source of the results.
    fileprivate var address: _Address {
        switch self {
        case .all: _Address { [self] _ in self }
        case .links(let place): CollectionReference.address(place) { Self.links($0) }
        case .elements(let place): CollectionReference.address(place) { Self.elements($0) }
        case .origins(let place): place.address { Self.origins($0) }
        }
    }
}

extension OriginReference {
    /// The address of an inverse link, from which `make` makes the program's inverse link.
    func address<T>(_ make: @escaping (OriginReference) -> T) -> _Address {
        let address = object._makeAddress()
        return _Address { [field] realm in
            (address.find(realm) as? ObjectBase).map { make(OriginReference($0, field: field)) }
        }
    }
}

extension CollectionReference {
    /// The address of a collection, from which `make` makes the program's collection.
    static func address<T>(
        _ place: CollectionReference?, _ make: @escaping (CollectionReference) -> T
    ) -> _Address {
        guard let place else {
            Misuse.end("This method may only be called on instances retrieved from a Realm.")
        }
        let address = place.object._makeAddress()
        let copy = place.copying
        return _Address { realm in (address.find(realm) as? ObjectBase).flatMap(copy).map(make) }
    }
}

/// The address of an object, for use in any realm of its store. Any thread may hold it.
struct ObjectAddress: Sendable {
    private let binding: ClassBinding
    /// The class of the object with ``key``.
    private let rootName: String
    private let key: UInt64
    /// The path from that object to an embedded object; nil for other objects.
    private let inner: NestedAddress?

    init(_ place: ObjectReference) {
        binding = place.binding
        rootName = place.rootClass.definition.name
        key = place.key
        inner = place.way.map { NestedAddress($0, of: place.identity, in: place.realm) }
    }

    /// Returns the object in a realm; nil if it is gone.
    func object(in realm: RealmCore) -> ObjectBase? {
        realm.reopen()
        guard let rootClass = realm.schema.rows.rowClass(named: rootName) else { return nil }
        let root = ObjectIdentity(classIndex: rootClass.index, key: key)
        let way = inner?.way(in: realm, of: root)
        if inner != nil, way == nil { return nil }
        let place = ObjectReference(realm, realm.binding(like: binding), key: key, way: way)
        return realm.row(of: place).map { realm.object(place, $0) }
    }
}
