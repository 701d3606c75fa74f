import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A value where it is stored: of a property, or an element of a collection. Valid until the view changes.
public struct StoredElement {
    /// The value's bytes, of its slot or of its text; empty for null.
    let bytes: UnsafeRawBufferPointer
    let storage: ElementStorage
    let isNull: Bool
    /// The view that it is read in.
    let realm: RealmCore
    /// The object that holds it.
    let place: ObjectPlace
    /// The way to the value within the object.
    let owner: EditPath.Owner

    /// The value as the model of the store has it; of links and embedded objects null.
    var plain: Value { isNull ? .null : Value(stored: bytes, storage) }

    /// The object that it links to, or that is embedded; nil for null.
    func object<T: ObjectBase>(_ type: T.Type) -> T? {
        guard !isNull else { return nil }
        let compiled = place.binding.rowClass.members[owner.member]
        let binding = realm.binding(ofClass: compiled.classIndex)
        if storage == .embedded {
            let inner = ObjectPlace(
                realm, binding, key: place.key, rootClass: place.rootClass,
                owners: place.owners + [owner])
            return realm.object(inner, RowView(bytes)) as? T
        }
        guard let start = bytes.baseAddress else { return nil }
        return realm.object(binding, key: start.storedLink, row: nil) as? T
    }
}
