import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A collection of a managed object: a property, or a list or dictionary within one, see ``MixedReference``. Used only where its
/// realm belongs; any thread may use one of a frozen object.
class CollectionReference {
    let object: ObjectBase
    let field: Int
    /// The generation of the object's row when ``stored`` was read.
    private var generation: UInt64 = 0
    private var stored: StoredCollection?

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

    /// Makes a reference to the same collection in another realm; nil if the object is gone there. Any thread may call it.
    var copying: (ObjectBase) -> CollectionReference? {
        { [field] in CollectionReference($0, field: field) }
    }

    var realm: RealmCore { place.realm }

    final var place: ObjectReference {
        guard let place = object.place else { Misuse.end("The object is not managed.") }
        return place
    }

    /// The property in the present version of the schema.
    var member: Int { Int(place.binding.positions[field].member) }
    var name: String { place.binding.model.fields[field].name }
    var columnName: String { place.binding.model.fields[field].columnName }
    /// The class of the elements, or of the objects that they link to; nil for values.
    var targetModel: ModelClass? {
        let element = place.binding.model.fields[field].shape.element
        if case .object(let reference) = element.kind { return ModelClass.of(reference.type) }
        return nil
    }
    var compiled: RowClass.Member { place.binding.rowClass.members[member] }

    /// The type of plain values; nil for objects.
    var scalar: ScalarType? {
        let definition = place.binding.rowClass.definition.properties[member]
        if case .scalar(let scalar)? = definition.type.element { return scalar }
        return nil
    }

    func isSame(as other: CollectionReference) -> Bool {
        field == other.field && object.isSameObject(as: other.object)
    }

    /// Whether the object is gone, or its realm was invalidated.
    var isInvalidated: Bool { object.isInvalidated }

    /// The number of elements or entries.
    var count: Int { collection.count }

    /// The path to the collection from the root object.
    var steps: [NestedPath.Step] { place.steps + [.member(member)] }

    /// Whether the program may refer to elements by their positions: embedded objects and mixed values.
    private var holdsInner: Bool {
        compiled.storage.element == .embedded || compiled.storage.element == .mixed
    }

    /// Updates the program's instances of the elements after an edit.
    final func follow(_ edit: NestedPath.Edit) {
        if holdsInner { realm.follow(edit, in: steps, of: place.identity) }
    }

    /// The collection as it is stored now.
    var collection: StoredCollection {
        let realm = place.realm
        realm.checkThread()
        if let stored, generation == realm.state.pointee.generation, !realm.hasPending {
            return stored
        }
        let (row, place) = object.requireRow()
        let collection = place.binding.rowClass.collection(member, in: row, realm.source)
        // Out-of-line values are read in the thread's own view.
        if realm.isFrozen { return collection }
        stored = collection
        generation = realm.state.pointee.generation
        return collection
    }

    /// Reads an element. Ends the process if it is out of range.
    func element(_ index: Int) -> StoredElement {
        let collection = collection
        guard let found = collection.element(index) else {
            Misuse.endOutOfBounds(index, collection.count)
        }
        let key = collection.key(index)
        return stored(found.part, found.offset, key.map { .key(Array($0)) } ?? .index(index))
    }

    /// Reads a value of a map; nil if the map lacks the key.
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
            Misuse.endOutOfBounds(index, collection.count)
        }
        return String(decoding: key, as: UTF8.self)
    }

    private func stored(
        _ part: CollectionView, _ offset: Int, _ element: EditPath.Element
    ) -> StoredElement {
        let isNull = part.isNull(offset)
        let (owner, inner) = owner(element)
        return StoredElement(
            bytes: isNull ? UnsafeRawBufferPointer(start: nil, count: 0) : part.bytes(offset),
            storage: part.element, isNull: isNull, object: object, place: place,
            owner: owner, inner: inner)
    }

    /// The path to an element within the object, and further within an `AnyRealmValue`.
    func owner(_ element: EditPath.Element) -> (EditPath.Owner, [NestedPath.Step]) {
        (EditPath.Owner(member: member, element: element), [])
    }

    // MARK: Writing

    func path(_ element: EditPath.Element) -> EditPath {
        var path = EditPath(place.binding.rowClass)
        path.owners = place.owners
        path.member = member
        path.element = element
        return path
    }

    /// Checks that a write is possible. Ends the process outside of a write, and if the object is gone.
    func requireWrite() {
        if place.realm.isFrozen {
            Misuse.end(
                "Attempting to modify a frozen object - call thaw on the Object instance first.")
        }
        _ = place.realm.requireWrite()
        // The edited collection exists.
        if place.realm.pending?.isEdit(of: place) == true { return }
        _ = object.requireRow()
    }

    /// Replaces all elements.
    final func assign(_ state: (Statement) -> Void) {
        requireWrite()
        place.realm.assign(place, member, state)
    }

    /// Replaces all elements.
    func assign<Element: RealmCollectionValue>(elements: [Element]) {
        assign { $0.elements(elements) }
    }

    /// Replaces all entries.
    func assign<Value: RealmCollectionValue>(entries: [(String, Value)]) {
        assign { $0.entries(entries) }
    }

    /// A statement of one element in a draft of the object's class.
    func statement(_ draft: ObjectDraft, _ graph: ObjectGraph) -> Statement {
        Statement(draft: draft, member: member, graph: graph)
    }

    /// Replaces an element.
    final func put(
        _ element: EditPath.Element, _ placement: Placement, _ state: (Statement) -> Void
    ) {
        requireWrite()
        let realm = place.realm
        let graph = realm.statementGraph()
        let draft = realm.editDraft(of: place)
        let statement = statement(draft, graph)
        var embedded: [ObjectGraph.Embedded] = []
        realm.stating {
            if compiled.storage.element != .embedded { return state(statement) }
            embedded = graph.embedding { state(statement) }
        }
        if realm.hasFault { return }
        graph.finish()
        let index = edit(ObjectEdit(path(element), .place(draft, placement)))
        switch (placement, element) {
        case (.insert, .index(let index)): follow(.inserted(index))
        case (.replace, _), (.put, _): follow(.replaced(NestedPath.Step(element)))
        default: break
        }
        if embedded.isEmpty { return }
        let step = NestedPath.Step(index.map { .index($0) } ?? element)
        realm.manage(
            embedded.map { $0.within(step) }, in: place.steps, of: place.rootClass, place.key)
    }

    final func remove(_ element: EditPath.Element) {
        requireWrite()
        edit(ObjectEdit(path(element), .remove))
        if case .index(let index) = element { follow(.removed(index)) }
        // References to the old value do not follow a new value of the key.
        if case .key = element { follow(.lost(NestedPath.Step(element))) }
    }

    /// Moves an element of a list to the second index.
    final func move(from: Int, to: Int) {
        requireWrite()
        if from == to { return }
        edit(ObjectEdit(path(.index(to)), .move(from: path(.index(from)))))
        follow(.moved(from: from, to: to))
    }

    /// - Returns: The index of the new element of a list.
    @discardableResult
    private func edit(_ edit: ObjectEdit) -> Int? {
        var index: Int?
        place.realm.edit(place) { editor throws(EditFailure) in
            index = try editor.apply(edit, origin: []).position
        }
        return index
    }
}

extension ObjectGraph.Embedded {
    /// The same embedded object, as an element of its collection or within an element, if the element was stated separately.
    fileprivate func within(_ element: NestedPath.Step) -> Self {
        Self(object: object, binding: binding, steps: [steps[0], element] + steps.dropFirst(2))
    }
}
