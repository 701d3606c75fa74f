import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

extension RealmCore {
    /// Returns an object that is not embedded in another one.
    func object(
        _ binding: ClassBinding, key: UInt64, way: NestedPath? = nil, row: RowView?
    ) -> ObjectBase {
        let object = binding.makeObject()
        // After a cancelled write, another object may get the same key.
        let isNew =
            interactiveWrite?.transaction.hasMade(key, way?.rootClass ?? binding.rowClass) ?? false
        settle(object, binding, key: key, way: way, creation: isNew ? creation : nil, row: row)
        return object
    }

    func object(_ place: ObjectReference, _ row: RowView?) -> ObjectBase {
        object(place.binding, key: place.key, way: place.way, row: row)
    }

    /// Sets the reference of an object to its place in the store.
    func settle(
        _ object: ObjectBase, _ binding: ClassBinding, key: UInt64, way: NestedPath? = nil,
        creation: CreatingWrite?, row: RowView?
    ) {
        object.placeRealm = self
        object.placeBinding = binding
        object.placeKey = key
        object.placeWay = way
        object.placeCreation = creation
        object.placeEra = era
        object._view = UnsafePointer(state)
        if let row {
            object.note(row, generation: state.pointee.generation)
        } else if isFrozen, let row = object.place.flatMap({ self.row(of: $0) }) {
            // Before another thread can see it.
            object.note(row, generation: state.pointee.generation)
        }
    }

    /// Connects embedded objects that were written within an object to the store.
    ///
    /// - `steps`: The path from the object that has this class and key to the object with the assigned property.
    func manage(
        _ embedded: [ObjectGraph.Embedded], in steps: [NestedPath.Step], of rootClass: RowClass,
        _ key: UInt64
    ) {
        // The objects may not exist, because the write is going to be rolled back.
        if hasFault { return }
        for one in embedded {
            let way = way(steps + one.steps, of: rootClass, key, isCollection: false)
            settle(one.object, one.binding, key: key, way: way, creation: creation, row: nil)
            one.binding.manage(one.object)
        }
    }

    /// Finds the row of a place; nil when the object is gone.
    func row(of place: ObjectReference) -> RowView? {
        if let pending, pending.isOf(place) { flush() }
        return storedRow(of: place)
    }

    /// Finds the row of a place without the pending changes of the object.
    func storedRow(of place: ObjectReference) -> RowView? {
        if place.isGone || place.era != era { return nil }
        do throws(StoreError) {
            let root: RowView?
            if let interactiveWrite {
                root = try interactiveWrite.transaction.row(place.rootClass, place.key)
            } else {
                root = try source.find(place.rootClass, key: place.key)
            }
            guard let root, place.way != nil else { return root }
            return place.rootClass.embedded(
                along: place.owners, in: root, of: schema.rows, source)?.row
        } catch {
            storageFailed(error)
            return nil
        }
    }

    /// The binding of a class in the realm's version of the schema.
    func binding(like other: ClassBinding) -> ClassBinding {
        let binding = binding(of: other.model.type)
        return other.isDynamic ? binding.seen(as: DynamicObject.self) : binding
    }

    func find(_ binding: ClassBinding, _ primaryKey: OrderedKey) -> ObjectBase? {
        let view = view
        do throws(StoreError) {
            let found = try view.find(binding.rowClass, primaryKey: primaryKey)
            guard let found else { return nil }
            return object(binding, key: found.key, row: found.row)
        } catch {
            storageFailed(error)
            return nil
        }
    }

    func count(of binding: ClassBinding) -> Int {
        do throws(StoreError) { return try view.count(binding.rowClass) } catch {
            storageFailed(error)
            return 0
        }
    }

    /// The keys of a class's objects after a given key, in order.
    func keys(of binding: ClassBinding, after: UInt64, atMost countMax: Int) -> [UInt64] {
        var keys: [UInt64] = []
        do throws(StoreError) {
            try view.scan(binding.rowClass, after: after, expecting: countMax) { key, _ in
                keys.append(key)
                return keys.count < countMax
            }
        } catch { storageFailed(error) }
        return keys
    }

    /// Deletes an object, or takes an embedded one from its owner.
    func delete(_ place: ObjectReference, _ transaction: WriteTransaction) {
        flush()
        if let owner = place.owners.last, let step = place.steps.last {
            var path = EditPath(schema.rows.classes[place.rootClass.index])
            path.owners = Array(place.owners.dropLast())
            for step in path.owners {
                path.rowClass = schema.rows.classes[path.rowClass.members[step.member].classIndex]
            }
            path.member = owner.member
            path.element = owner.element
            edit(place) { editor throws(EditFailure) in
                try editor.apply(ObjectEdit(path, .remove), origin: [])
            }
            let container = Array(place.steps.dropLast())
            if case .index(let index) = step {
                follow(.removed(index), in: container, of: place.identity)
            } else {
                follow(.lost(step), in: container, of: place.identity)
            }
        } else {
            do throws(StoreError) {
                _ = try transaction.delete(place.rootClass, key: place.key)
            } catch {
                if case .objectNotFound = error {} else { fail(error) }
            }
        }
        changed()
    }
}
