import HoldfastObjectStore
import HoldfastRows
import Synchronization

/// The inverse link of a managed object. It is used where its realm belongs; that of a frozen object by any thread.
final class OriginPlace {
    let object: ObjectBase
    let field: Int
    /// The keys as they were last found, and the generation of the view. Behind a lock, since several threads read frozen ones at once.
    private let found = Mutex<(generation: UInt64, keys: [UInt64])>((0, []))

    /// - `member`: The property, by its position in the object's table.
    init(_ object: ObjectBase, member: Int) {
        self.object = object
        field = object.place?.binding.fieldOfMember[member] ?? 0
    }

    /// - `field`: The property, by its position in the object's class.
    init(_ object: ObjectBase, field: Int) {
        self.object = object
        self.field = field
    }

    private var place: ObjectPlace {
        guard let place = object.place else { Misuse.end("The object is not managed.") }
        return place
    }

    var realm: RealmCore { place.realm }

    /// The name under which the property is stored.
    var columnName: String { place.binding.model.fields[field].columnName }

    /// The property in the present version of the schema.
    private var compiled: RowClass.Member {
        place.binding.rowClass.members[Int(place.binding.positions[field].member)]
    }

    /// The class of the origins.
    var binding: ClassBinding { realm.binding(ofClass: compiled.classIndex) }

    func isSame(as other: OriginPlace) -> Bool {
        field == other.field && object.isSameObject(as: other.object)
    }

    /// The keys of the origins of now, each as often as it links.
    var keys: [UInt64] {
        let realm = realm
        realm.checkThread()
        let view = realm.view
        let present = found.withLock { $0 }
        if present.generation == realm.state.pointee.generation { return present.keys }
        _ = object.requireRow()
        let keys = view.originKeys(of: place.rootClass.index, place.key, through: compiled)
        let generation = realm.state.pointee.generation
        found.withLock { $0 = (generation, keys) }
        return keys
    }
}

extension ReadTransaction {
    /// The keys of the objects that link to an object, each as often as it links.
    ///
    /// - `member`: The inverse link.
    func originKeys(
        of classIndex: Int, _ key: UInt64, through member: RowClass.Member
    ) -> [UInt64] {
        let originClass = rows.classes[member.classIndex]
        var keys: [UInt64] = []
        scanOrigins(
            classIndex, key, property: originClass.members[member.originProperty].number
        ) { origin, _, count in
            for _ in 0..<count { keys.append(origin.key) }
            return true
        }
        return keys
    }
}
