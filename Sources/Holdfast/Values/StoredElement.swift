import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A value where it is stored: of a property, or an element of a collection. Valid until the view changes.
public struct StoredElement {
    /// The value's bytes, of its slot or of its text; empty for null.
    let bytes: UnsafeRawBufferPointer
    let storage: ElementStorage
    let isNull: Bool
    /// The managed object that holds it; nil in a state that is about to go, of which lists and dictionaries are copies.
    let object: ObjectBase?
    let place: ObjectReference
    /// The way to the value within the object.
    let owner: EditPath.Owner
    /// The way on within an `AnyRealmValue`.
    var inner: [NestedPath.Step] = []

    /// The view that it is read in.
    var realm: RealmCore { place.realm }

    /// The value as the model of the store has it; of links and embedded objects null.
    var plain: Value { isNull ? .null : Value(stored: bytes, storage) }

    /// The way to the value from the object of its own.
    var steps: [NestedPath.Step] {
        var steps = place.steps + [.member(owner.member)]
        if let element = owner.element { steps.append(NestedPath.Step(element)) }
        return steps + inner
    }

    /// The object that it links to, or that is embedded; nil for null.
    func object<T: ObjectBase>(_ type: T.Type) -> T? {
        guard !isNull else { return nil }
        let compiled = place.binding.rowClass.members[owner.member]
        let binding = realm.binding(ofClass: compiled.classIndex).seen(as: type)
        if storage == .embedded {
            let way = realm.way(steps, of: place.rootClass, place.key, isCollection: false)
            let inner = ObjectReference(realm, binding, key: place.key, way: way)
            return realm.object(inner, RowView(bytes)) as? T
        }
        guard let start = bytes.baseAddress else { return nil }
        return realm.object(binding, key: start.storedLink, row: nil) as? T
    }
}
