import HoldfastObjectStore
import HoldfastRows

extension ObjectBase {
    /// Notes the row that the object has in the present generation of its view.
    final func note(_ row: RowView, generation: UInt64) {
        _generation = generation
        stored = row.base
        if row.layoutNumber == placeBinding?.layoutNumber {
            _row = row.base
        } else {
            _row = nil
        }
    }

    /// The row of a managed object. Ends the process on another thread than the realm's, and if the object is gone.
    final func requireRow() -> (row: RowView, place: ObjectReference) {
        guard let place else { Misuse.end("The object is not managed.") }
        let realm = place.realm
        realm.checkThread()
        if _generation == realm.state.pointee.generation, let stored {
            return (RowView(unchecked: stored), place)
        }
        guard let row = realm.row(of: place) else {
            Misuse.end("Object has been deleted or invalidated.")
        }
        var present = place
        if place.binding.rowClass !== realm.schema.rows.classes[place.binding.rowClass.index] {
            present = rebound(place)
        }
        note(row, generation: realm.state.pointee.generation)
        return (row, present)
    }

    /// Rebinds the object to the table of a newer schema.
    private final func rebound(_ place: ObjectReference) -> ObjectReference {
        var present = place
        present.binding = place.realm.binding(like: place.binding)
        if let way = place.way,
            let rootClass = place.realm.schema.rows.rowClass(named: way.rootClass.definition.name)
        {
            way.rootClass = rootClass
        }
        placeBinding = present.binding
        present.binding.place(self)
        return present
    }

    /// Reads a property.
    @usableFromInline
    final func decode<T: RealmCollectionValue>(_ position: FieldPosition, _ type: T.Type) -> T {
        let member = Int(position.member)
        guard let pending = placeRealm?.pending, let place else {
            let (row, place) = requireRow()
            return stored(member, in: row, place)
        }
        place.realm.checkThread()
        switch pending.assigned(member, of: place) {
        case .null: return stored(member, nil, place)
        case .bytes(let bytes): return stored(member, bytes, place)
        case .nothing:
            // Pending assignments do not matter here, because the row is replaced when they are written.
            if pending.isOf(place), place.owners.isEmpty, let row = place.realm.storedRow(of: place)
            {
                return stored(member, in: row, place)
            }
        case .other: break
        }
        let (row, present) = requireRow()
        return stored(member, in: row, present)
    }

    private final func stored<T: RealmCollectionValue>(
        _ member: Int, in row: RowView, _ place: ObjectReference
    ) -> T {
        let rowClass = place.binding.rowClass
        let field = rowClass.field(member, in: row)
        return stored(
            member,
            field.isNull
                ? nil : field.bytes(rowClass.members[member].storage, place.realm.source), place)
    }

    /// - `bytes`: Nil for null.
    private final func stored<T: RealmCollectionValue>(
        _ member: Int, _ bytes: UnsafeRawBufferPointer?, _ place: ObjectReference
    ) -> T {
        T._decode(
            StoredElement(
                bytes: bytes ?? UnsafeRawBufferPointer(start: nil, count: 0),
                storage: place.binding.rowClass.members[member].storage.element,
                isNull: bytes == nil, object: self, place: place,
                owner: EditPath.Owner(member: member, element: nil)))
    }

    /// Writes a property.
    @usableFromInline
    final func assign(_ position: FieldPosition, _ state: (Statement) -> Void) {
        let member = Int(position.member)
        // An object that is being changed exists, and may be changed.
        if let realm = placeRealm, let rowClass = placeBinding?.rowClass, placeWay == nil,
            placeEra == realm.era, placeCreation?.isCancelled != true,
            member != rowClass.primaryKeyIndex, realm.assignMore(placeKey, rowClass, member, state)
        {
            return
        }
        guard let place else { Misuse.end("The object is not managed.") }
        let realm = place.realm
        if realm.isFrozen {
            Misuse.end(
                "Attempting to modify a frozen object - call thaw on the Object instance first.")
        }
        _ = realm.requireWrite()
        let isWritten = place.way == nil && realm.pending?.assignments(to: place.identity) != nil
        let present = isWritten ? place : requireRow().place
        if member == present.binding.rowClass.primaryKeyIndex {
            Misuse.end("Primary key can't be changed after an object is inserted.")
        }
        realm.assign(present, member, state)
    }

    /// Notes on a tracing instance that a property was read.
    @usableFromInline
    final func note(_ field: Int) { KeyPathTrace.note(self, field) }
}
