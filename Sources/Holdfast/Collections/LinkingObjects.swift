import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// The objects that link to an object through one property: an inverse link, which the store keeps.
///
/// An object that links twice stands in it twice.
public final class LinkingObjects<Element: ObjectBase> {
    let object: ObjectBase?
    private let field: Int
    private var generation: UInt64 = 0
    private var origins: [UInt64] = []

    /// One without objects, as an unmanaged object has it.
    init() {
        object = nil
        field = 0
    }

    init(_ object: ObjectBase, member: Int) {
        self.object = object
        field = object.place?.binding.fieldOfMember[member] ?? 0
    }

    /// The realm of the object; nil for an unmanaged one.
    public var realm: Realm? { object?.realm }
    /// Whether the object is gone.
    public var isInvalidated: Bool { object?.isInvalidated ?? false }

    /// The keys of the origins of now.
    private var keys: [UInt64] {
        guard let object, let place = object.place else { return [] }
        let realm = place.realm
        realm.checkThread()
        let view = realm.view
        if generation == realm.state.pointee.generation { return origins }
        _ = object.requireRow()
        let member = place.binding.rowClass.members[Int(place.binding.positions[field].member)]
        let originClass = realm.schema.rows.classes[member.classIndex]
        var keys: [UInt64] = []
        view.scanOrigins(
            place.rootClass.index, place.key,
            property: originClass.members[member.originProperty].number,
            from: nil
        ) { origin, count in
            for _ in 0..<count { keys.append(origin.key) }
            return true
        }
        origins = keys
        generation = realm.state.pointee.generation
        return keys
    }
}

extension LinkingObjects: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position behind the last object.
    public var endIndex: Int { count }
    /// The number of links. Cost: linear in it once for each version.
    public var count: Int { keys.count }

    /// The object at a position.
    public subscript(position: Int) -> Element {
        let keys = keys
        guard keys.indices.contains(position), let realm = object?.place?.realm else {
            Misuse.end("Index \(position) is out of bounds (must be less than \(keys.count)).")
        }
        guard
            let found = realm.object(realm.binding(of: Element.self), key: keys[position], row: nil)
                as? Element
        else { Misuse.end("The object is of another class.") }
        return found
    }
}

extension LinkingObjects: _Persistable {
    /// The type in the schema.
    public static var _shape: PropertyShape { PropertyShape(.origins, Element._element) }
    /// The value of a property without a default.
    public static func _unset() -> LinkingObjects { LinkingObjects() }

    /// Reads a managed object's property.
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> LinkingObjects {
        LinkingObjects(object, member: Int(position.member))
    }

    /// Writes a managed object's property.
    public static func _assign(
        _ value: LinkingObjects, _ object: ObjectBase, _ position: FieldPosition
    ) {
        Misuse.end("Linking objects are kept by the store and can't be assigned.")
    }

    /// Returns a value that stands for a tracing instance's property.
    public static func _trace(_ object: ObjectBase, field: Int) -> LinkingObjects {
        object.note(field)
        return LinkingObjects()
    }

    /// States a value of a property.
    public static func _state(_ value: LinkingObjects, in statement: Statement) {}
}

extension Persisted {
    /// A property of the objects that link here.
    ///
    /// - Parameter originProperty: The property of those that holds the link, by its name in their class.
    public init<Origin: ObjectBase>(originProperty: String) where Value == LinkingObjects<Origin> {
        self.init()
        self.originProperty = originProperty
    }
}
