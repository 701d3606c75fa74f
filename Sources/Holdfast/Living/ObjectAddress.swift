import HoldfastObjectStore

/// The way to an object in any realm of its store. Any thread may hold it.
struct ObjectAddress: Sendable {
    private let binding: ClassBinding
    /// The class whose key ``key`` is.
    private let rootName: String
    private let key: UInt64
    /// The way from there to an embedded object; nil for one of its own.
    private let inner: InnerAddress?

    init(_ place: ObjectPlace) {
        binding = place.binding
        rootName = place.rootClass.definition.name
        key = place.key
        inner = place.way.map { InnerAddress($0, of: place.identity, in: place.realm) }
    }

    /// Returns the object in a realm; nil where it is gone.
    func object(in realm: RealmCore) -> ObjectBase? {
        realm.reopen()
        guard let rootClass = realm.schema.rows.rowClass(named: rootName) else { return nil }
        let root = ObjectIdentity(classIndex: rootClass.index, key: key)
        let way = inner?.way(in: realm, of: root)
        if inner != nil, way == nil { return nil }
        let place = ObjectPlace(realm, realm.binding(like: binding), key: key, way: way)
        return realm.row(of: place).map { realm.object(place, $0) }
    }
}
