import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A collection of a managed object. Its realm's thread uses it.
final class CollectionPlace {
    let object: ObjectBase
    private let field: Int
    /// The version of the object's row that ``stored`` is of.
    private var generation: UInt64 = 0
    private var stored: StoredCollection?

    /// - `member`: The property, by its position in the object's table.
    init(_ object: ObjectBase, member: Int) {
        self.object = object
        field = object.place?.binding.fieldOfMember[member] ?? 0
    }

    var realm: RealmCore { place.realm }

    private var place: ObjectPlace {
        guard let place = object.place else { Misuse.end("The object is not managed.") }
        return place
    }

    /// The property in the present version of the schema.
    var member: Int { Int(place.binding.positions[field].member) }
    var name: String { place.binding.model.fields[field].name }
    var compiled: RowClass.Member { place.binding.rowClass.members[member] }

    /// The type of plain values; nil of objects.
    var scalar: ScalarType? {
        let definition = place.binding.rowClass.definition.properties[member]
        if case .scalar(let scalar)? = definition.type.element { return scalar }
        return nil
    }

    func isSame(as other: CollectionPlace) -> Bool {
        field == other.field && object.isSameObject(as: other.object)
    }

    /// Whether the object is gone, or its realm was invalidated.
    var isInvalidated: Bool { object.isInvalidated }

    /// The collection as it is stored now.
    var collection: StoredCollection {
        let realm = place.realm
        realm.checkThread()
        if let stored, generation == realm.state.pointee.generation, !realm.hasPending {
            return stored
        }
        let (row, place) = object.requireRow()
        let collection = place.binding.rowClass.collection(member, in: row, realm.source)
        stored = collection
        generation = realm.state.pointee.generation
        return collection
    }

    /// Reads an element; ends the process beyond the end.
    func element(_ index: Int) -> StoredElement {
        let collection = collection
        guard let found = collection.element(index) else {
            if index < 0 { Misuse.end("Cannot use a negative value \(index) as an index.") }
            Misuse.end("Index \(index) is out of bounds (must be less than \(collection.count)).")
        }
        let key = compiled.storage.shape == .map ? collection.key(index) : nil
        return stored(found.part, found.offset, key.map { .key(Array($0)) } ?? .index(index))
    }

    /// Reads a value of a map; nil where it lacks the key.
    func value(_ key: String) -> StoredElement? {
        let collection = collection
        var key = key
        let index = key.withUTF8 { collection.index(ofKey: UnsafeRawBufferPointer($0)) }
        guard let index, let found = collection.element(index) else { return nil }
        return stored(found.part, found.offset, .key(Array(key.utf8)))
    }

    /// Returns the key of a map's entry.
    func key(_ index: Int) -> String {
        guard let key = collection.key(index) else {
            Misuse.end("Index \(index) is out of bounds (must be less than \(collection.count)).")
        }
        return String(decoding: key, as: UTF8.self)
    }

    private func stored(
        _ part: CollectionView, _ offset: Int, _ element: EditPath.Element
    ) -> StoredElement {
        let isNull = part.isNull(offset)
        return StoredElement(
            bytes: isNull ? UnsafeRawBufferPointer(start: nil, count: 0) : part.bytes(offset),
            storage: part.element, isNull: isNull, realm: place.realm, place: place,
            owner: EditPath.Owner(member: member, element: element))
    }

    // MARK: Writing

    /// The way to an element, or to all of the collection.
    private func path(_ element: EditPath.Element?) -> EditPath {
        var path = EditPath(place.binding.rowClass)
        path.owners = place.owners
        path.member = member
        path.element = element
        return path
    }

    /// Begins a write: ends the process outside of one, and where the object is gone.
    func requireWrite() {
        if place.realm.isFrozen {
            Misuse.end(
                "Attempting to modify a frozen object - call thaw on the Object instance first.")
        }
        _ = place.realm.requireWrite()
        _ = object.requireRow()
    }

    /// States all elements.
    func assign(_ state: (Statement) -> Void) {
        requireWrite()
        place.realm.assign(place, member, state)
    }

    /// Puts a value to an element's place.
    func put(
        _ element: EditPath.Element, _ placement: Placement, _ state: (Statement) -> Void
    ) {
        requireWrite()
        let realm = place.realm
        let graph = ObjectGraph(realm, realm.requireWrite(), .error)
        let draft = ObjectDraft(place.binding.rowClass, isMerge: true)
        state(Statement(draft: draft, member: member, graph: graph))
        if realm.hasFault { return }
        graph.finish()
        let path = path(element)
        realm.edit(place) { editor throws(EditFailure) in
            try editor.apply(ObjectEdit(path, .place(draft, placement)), origin: [])
        }
    }

    /// Removes an element.
    func remove(_ element: EditPath.Element) {
        requireWrite()
        let path = path(element)
        place.realm.edit(place) { editor throws(EditFailure) in
            try editor.apply(ObjectEdit(path, .remove), origin: [])
        }
    }
}
