import HoldfastObjectStore

/// The way to an object in any realm of its store. Any thread may hold it.
struct ObjectAddress: Sendable {
    private let binding: ClassBinding
    /// The class whose key ``key`` is.
    private let rootName: String
    private let key: UInt64
    private let steps: [InnerWay.Step]

    init(_ place: ObjectPlace) {
        binding = place.binding
        rootName = place.rootClass.definition.name
        key = place.key
        steps = place.steps
    }

    /// Returns the object in a realm; nil where it is gone.
    func object(in realm: RealmCore) -> ObjectBase? {
        realm.reopen()
        guard let rootClass = realm.schema.rows.rowClass(named: rootName) else { return nil }
        let place = ObjectPlace(
            realm, realm.binding(like: binding), key: key,
            way: steps.isEmpty ? nil : realm.way(steps, of: rootClass, key, isCollection: false))
        return realm.row(of: place).map { realm.object(place, $0) }
    }
}
