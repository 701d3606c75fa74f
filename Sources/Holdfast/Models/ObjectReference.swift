import HoldfastObjectStore
import HoldfastRows

/// Where a managed object is: in which realm, of which class, under which key.
///
/// An object has the parts as its own fields, so that it is one allocation.
struct ObjectReference {
    let realm: RealmCore
    /// The class as the realm's schema has it. Not counted: the realm keeps the bindings of all schemas that it has shown.
    unowned(unsafe) var binding: ClassBinding
    /// The object key; of an embedded object that of the object which it belongs to.
    let key: UInt64
    /// The way from there to an embedded object; nil for one of its own.
    let way: NestedPath?
    /// The write in which the object became managed; nil where it was there before.
    let creation: CreatingWrite?
    /// The count of the realm's invalidations when the object was read.
    let era: UInt

    init(_ realm: RealmCore, _ binding: ClassBinding, key: UInt64, way: NestedPath? = nil) {
        self.realm = realm
        self.binding = binding
        self.key = key
        self.way = way
        creation = nil
        era = realm.era
    }

    /// The place of a managed object.
    fileprivate init(_ object: ObjectBase, _ realm: RealmCore, _ binding: ClassBinding) {
        self.realm = realm
        self.binding = binding
        key = object.placeKey
        way = object.placeWay
        creation = object.placeCreation
        era = object.placeEra
    }

    /// The class of the key.
    var rootClass: RowClass { way?.rootClass ?? binding.rowClass }

    /// Whether the object is known to be gone.
    var isGone: Bool { creation?.isCancelled ?? false || way?.isGone ?? false }

    /// The steps to an embedded object; empty for an object of its own.
    var steps: [NestedPath.Step] { way?.steps ?? [] }
    /// The embedded objects on the way, from the outside in.
    var owners: [EditPath.Owner] { way?.owners ?? [] }

    var identity: ObjectIdentity { ObjectIdentity(classIndex: rootClass.index, key: key) }
}

extension ObjectBase {
    /// Where a managed object is; nil for an unmanaged one.
    final var place: ObjectReference? {
        guard let realm = placeRealm, let binding = placeBinding else { return nil }
        return ObjectReference(self, realm, binding)
    }
}

/// A write, as the objects that became managed in it know it.
final class CreatingWrite {
    /// Whether it was taken back, and they are gone with it: others get their keys.
    var isCancelled = false
}
