import HoldfastObjectStore
import HoldfastRows

extension ObjectBase {
    /// Notes the row that the object has in the present generation of its view.
    final func note(_ row: RowView, generation: UInt64) {
        _generation = generation
        stored = row.base
        if let place, row.layoutNumber == place.binding.rowClass.layout.number {
            _row = row.base
        } else {
            _row = nil
        }
    }

    /// The row of a managed object; ends the process on another thread than the realm's, and where the object is gone.
    final func requireRow() -> (row: RowView, place: ObjectPlace) {
        guard let place else { Misuse.end("The object is not managed.") }
        let realm = place.realm
        realm.checkThread()
        if _generation == realm.state.pointee.generation, let stored {
            return (RowView(unchecked: stored), place)
        }
        guard let row = realm.row(of: place) else {
            Misuse.end("Object has been deleted or invalidated.")
        }
        if place.binding.rowClass !== realm.schema.rows.classes[place.binding.rowClass.index] {
            rebind(place)
        }
        note(row, generation: realm.state.pointee.generation)
        return (row, place)
    }

    /// Has the object lead to the table of a newer schema.
    private final func rebind(_ place: ObjectPlace) {
        place.binding = place.realm.binding(like: place.binding)
        place.rootClass =
            place.realm.schema.rows.rowClass(named: place.rootClass.definition.name)
            ?? place.rootClass
        place.binding.place(self)
    }

    /// Reads a property.
    @usableFromInline
    final func decode<T: RealmCollectionValue>(_ position: FieldPosition, _ type: T.Type) -> T {
        let (row, place) = requireRow()
        let member = Int(position.member)
        let rowClass = place.binding.rowClass
        let field = rowClass.field(member, in: row)
        let storage = rowClass.members[member].storage
        let isNull = field.isNull
        return T._decode(
            StoredElement(
                bytes: isNull
                    ? UnsafeRawBufferPointer(start: nil, count: 0)
                    : field.bytes(storage, place.realm.source),
                storage: storage.element, isNull: isNull, object: self, place: place,
                owner: EditPath.Owner(member: member, element: nil)))
    }

    /// Writes a property.
    @usableFromInline
    final func assign(_ position: FieldPosition, _ state: (Statement) -> Void) {
        guard let place else { Misuse.end("The object is not managed.") }
        let realm = place.realm
        if realm.isFrozen {
            Misuse.end(
                "Attempting to modify a frozen object - call thaw on the Object instance first.")
        }
        _ = realm.requireWrite()
        let (_, present) = requireRow()
        let member = Int(position.member)
        if member == present.binding.rowClass.primaryKeyIndex {
            Misuse.end("Primary key can't be changed after an object is inserted.")
        }
        realm.assign(present, member, state)
    }

    /// Notes on a tracing instance that a property was read.
    @usableFromInline
    final func note(_ field: Int) { KeyPathTrace.note(self, field) }
}
