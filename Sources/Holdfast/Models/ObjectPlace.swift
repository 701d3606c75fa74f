import HoldfastObjectStore
import HoldfastRows

/// Where a managed object is: in which realm, of which class, under which key. An object has one of its own.
final class ObjectPlace {
    let realm: RealmCore
    /// The class as the realm's schema has it.
    var binding: ClassBinding
    /// The object key; of an embedded object that of the object which it belongs to.
    let key: UInt64
    /// The class whose key that is.
    var rootClass: RowClass
    /// The way from there to an embedded object; empty for one of its own.
    let owners: [EditPath.Owner]
    /// Whether the object is known to be gone.
    var isGone = false

    init(
        _ realm: RealmCore, _ binding: ClassBinding, key: UInt64, rootClass: RowClass,
        owners: [EditPath.Owner] = []
    ) {
        self.realm = realm
        self.binding = binding
        self.key = key
        self.rootClass = rootClass
        self.owners = owners
    }

    var identity: ObjectIdentity { ObjectIdentity(classIndex: rootClass.index, key: key) }
}
