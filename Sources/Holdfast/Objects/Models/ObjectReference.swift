import HoldfastObjectStore
import HoldfastRows

/// The reference of a managed object: its realm, class and key.
///
/// An object stores the parts in its own fields, which saves an allocation.
struct ObjectReference {
    let realm: RealmCore
    /// The class as the realm's schema has it. Not counted: the realm keeps the bindings of all schemas that it has shown.
    unowned(unsafe) var binding: ClassBinding
    /// The object key. For an embedded object, the key of the object that contains it.
    let key: UInt64
    /// The path from there to an embedded object; nil for other objects.
    let way: NestedPath?
    /// The write in which the object became managed; nil if the object existed before.
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

    var rootClass: RowClass { way?.rootClass ?? binding.rowClass }

    var isGone: Bool { creation?.isCancelled ?? false || way?.isGone ?? false }

    /// The steps to an embedded object; empty for other objects.
    var steps: [NestedPath.Step] { way?.steps ?? [] }
    /// The embedded objects on the path, from the outside in.
    var owners: [EditPath.Owner] { way?.owners ?? [] }

    var identity: ObjectIdentity { ObjectIdentity(classIndex: rootClass.index, key: key) }
}

extension ObjectBase {
    /// The reference of a managed object; nil if it is unmanaged.
    final var place: ObjectReference? {
        guard let realm = placeRealm, let binding = placeBinding else { return nil }
        return ObjectReference(self, realm, binding)
    }
}

/// A write, shared by the objects that became managed in it.
final class CreatingWrite {
    /// Whether the write was rolled back. Its objects are then gone, and others get their keys.
    var isCancelled = false
}
