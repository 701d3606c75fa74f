import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A stored value of a property, or a stored element of a collection. Valid until the view changes.
public struct StoredElement {
    /// The value's bytes, from its slot or its text; empty for null.
    let bytes: UnsafeRawBufferPointer
    let storage: ElementStorage
    let isNull: Bool
    /// The managed object with the value; nil in a state that is about to be released, in which lists and dictionaries are
    /// copies.
    let object: ObjectBase?
    let place: ObjectReference
    /// The path to the value within the object.
    let owner: EditPath.Owner
    /// The path further within an `AnyRealmValue`.
    var inner: [NestedPath.Step] = []

    /// The realm in which the value is read.
    var realm: RealmCore { place.realm }

    /// The value in the store's model; null for links and embedded objects.
    var plain: Value { isNull ? .null : Value(stored: bytes, storage) }

    /// The path to the value from the root object.
    var steps: [NestedPath.Step] {
        var steps = place.steps + [.member(owner.member)]
        if let element = owner.element { steps.append(NestedPath.Step(element)) }
        return steps + inner
    }

    /// The linked or embedded object; nil for null.
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
