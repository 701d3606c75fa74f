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
    /// The way from there to an embedded object; nil for one of its own.
    let way: InnerWay?
    /// The count of the realm's invalidations when the object was read.
    let era: UInt
    /// Whether the object itself is known to be gone.
    private var isLost = false

    init(
        _ realm: RealmCore, _ binding: ClassBinding, key: UInt64, rootClass: RowClass,
        way: InnerWay? = nil
    ) {
        self.realm = realm
        self.binding = binding
        self.key = key
        self.rootClass = rootClass
        self.way = way
        era = realm.era
    }

    /// Whether the object is known to be gone.
    var isGone: Bool {
        get { isLost || way?.isGone ?? false }
        set { isLost = newValue }
    }

    /// The steps to an embedded object; none for one of its own.
    var steps: [InnerWay.Step] { way?.steps ?? [] }
    /// The embedded objects on the way, from the outside in.
    var owners: [EditPath.Owner] { way?.owners ?? [] }

    var identity: ObjectIdentity { ObjectIdentity(classIndex: rootClass.index, key: key) }
}
