import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastThreads

/// A list or dictionary within an `AnyRealmValue` of a managed object. It is read and edited in place.
final class MixedReference: CollectionReference {
    private let way: NestedPath
    /// The kind as which the collection was read. A collection of another kind in its place counts as a different one.
    private let kind: MixedKind
    /// The generation of the view when ``found`` was read.
    private var generation: UInt64 = 0
    /// The elements, in the form of a property's.
    private var found: StoredCollection?
    private let buffer = ByteBuffer(capacity: 64)
    /// Needed because several threads may read a frozen collection at once.
    private let lock = Monitor(())

    init(_ stored: StoredElement, in object: ObjectBase, _ kind: MixedKind) {
        let place = stored.place
        way = place.realm.way(stored.steps, of: place.rootClass, place.key, isCollection: true)
        self.kind = kind
        super.init(object, member: stored.owner.member)
    }

    private init(_ object: ObjectBase, field: Int, _ way: NestedPath, _ kind: MixedKind) {
        self.way = way
        self.kind = kind
        super.init(object, field: field)
    }

    override var copying: (ObjectBase) -> CollectionReference? {
        let inner = NestedAddress(way, of: place.identity, in: realm)
        return { [field, kind] object in
            guard let place = object.place, let way = inner.way(in: place.realm, of: place.identity)
            else { return nil }
            let copy = MixedReference(object, field: field, way, kind)
            return copy.view == nil ? nil : copy
        }
    }

    override var isInvalidated: Bool { object.isInvalidated || view == nil }

    override var steps: [NestedPath.Step] { way.steps }

    /// The path within the object: to an element of the property, if the property has several, and further within the value.
    private var parts: (element: EditPath.Element?, inner: [NestedPath.Step]) {
        let inside = Array(way.steps.dropFirst(place.steps.count + 1))
        guard compiled.storage.shape != .single else { return (nil, inside) }
        return (inside.first?.element, Array(inside.dropFirst()))
    }

    override func isSame(as other: CollectionReference) -> Bool {
        other is MixedReference && object.place?.identity == other.object.place?.identity
            && realm === other.realm && steps == other.steps
    }

    /// The present stored value; nil if it was removed or replaced by something else.
    private var view: MixedView? {
        if way.isGone { return nil }
        let (row, place) = object.requireRow()
        let (element, inner) = parts
        let whole: MixedView
        if let element {
            let collection = place.binding.rowClass.collection(member, in: row, realm.source)
            guard let (part, offset) = collection.element(element), !part.isNull(offset) else {
                return nil
            }
            whole = MixedView(part.bytes(offset))
        } else {
            let field = place.binding.rowClass.field(member, in: row)
            if field.isNull { return nil }
            whole = MixedView(field.bytes(compiled.storage, realm.source))
        }
        guard let view = try? whole.value(at: inner.map(\.text)), view.kind == kind else {
            return nil
        }
        return view
    }

    /// The collection, copied once for each version of the view: edits of such values copy them as well.
    override var collection: StoredCollection {
        realm.checkThread()
        return lock.withLock { _ in copied }
    }

    private var copied: StoredCollection {
        let realm = realm
        if let found, generation == realm.state.pointee.generation, !realm.hasPending {
            return found
        }
        guard let view else { Misuse.end("Object has been deleted or invalidated.") }
        buffer.removeAll()
        view.appendCollection(to: buffer)
        let storage = FieldStorage(kind == .map ? .map : .list, .mixed)
        let collection = StoredCollection(LeafView(buffer.bytes, storage))
        found = collection
        generation = realm.state.pointee.generation
        return collection
    }

    override func owner(_ element: EditPath.Element) -> (EditPath.Owner, [NestedPath.Step]) {
        let (outer, inner) = parts
        return (EditPath.Owner(member: member, element: outer), inner + [NestedPath.Step(element)])
    }

    // MARK: Writing

    override func path(_ element: EditPath.Element) -> EditPath {
        let (owner, inner) = owner(element)
        var path = EditPath(place.binding.rowClass)
        path.owners = place.owners
        path.member = owner.member
        path.element = owner.element
        path.inner = inner.map(\.text)
        return path
    }

    override func requireWrite() {
        super.requireWrite()
        _ = collection
    }

    override func statement(_ draft: ObjectDraft, _ graph: ObjectGraph) -> Statement {
        Statement(draft: draft, member: member, graph: graph, depth: parts.inner.count + 1)
    }

    override func assign<Element: RealmCollectionValue>(elements: [Element]) {
        let values = elements as? [AnyRealmValue] ?? []
        for index in (0..<count).reversed() { remove(.index(index)) }
        for value in values { put(.end, .insert) { $0.elements(CollectionOfOne(value)) } }
    }

    override func assign<Value: RealmCollectionValue>(entries: [(String, Value)]) {
        for index in (0..<count).reversed() { remove(.key(Array(key(index).utf8))) }
        for entry in entries {
            put(.key(Array(entry.0.utf8)), .put) { $0.entries(CollectionOfOne(entry)) }
        }
    }
}

extension MixedView {
    /// Appends the elements or entries in the form that a property's collection has.
    fileprivate func appendCollection(to buffer: ByteBuffer) {
        let collection = ScalarCollectionBuilder()
        if kind == .map {
            collection.reset(.string)
            for index in 0..<count { collection.append(text: key(index)) }
            let keys = ByteBuffer(capacity: 64)
            collection.write(to: keys, isSet: false)
            buffer.append(little: UInt32(truncatingIfNeeded: keys.count))
            buffer.append(keys.bytes)
        }
        collection.reset(.mixed)
        for index in 0..<count {
            let value = element(index)
            value.isNull ? collection.appendNull() : collection.append(text: value.bytes)
        }
        collection.write(to: buffer, isSet: false)
    }
}

extension NestedPath.Step {
    /// The step as the store's edits of mixed values have it.
    fileprivate var text: [UInt8] {
        switch self {
        case .member: []
        case .index(.max): Array("-".utf8)
        case .index(let index): Array("\(index)".utf8)
        case .key(let key): key
        }
    }
}
