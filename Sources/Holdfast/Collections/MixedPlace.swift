import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A list or dictionary within an `AnyRealmValue` of a managed object, which is read and edited where it lies.
final class MixedPlace: CollectionPlace {
    private let way: InnerWay
    /// The kind that it was read as: another one in its place is another collection.
    private let kind: MixedKind
    /// The generation of the view that ``found`` is of.
    private var generation: UInt64 = 0
    private var found: MixedView?

    init(_ stored: StoredElement, _ kind: MixedKind) {
        way = stored.realm.way(stored.steps, in: stored.place.identity, isCollection: true)
        self.kind = kind
        super.init(stored.object, member: stored.owner.member)
    }

    override var isInvalidated: Bool { object.isInvalidated || current == nil }

    override var steps: [InnerWay.Step] { way.steps }

    /// The way within the object: to an element of the property, if that has several, and on within the value.
    private var parts: (element: EditPath.Element?, inner: [InnerWay.Step]) {
        let inside = Array(way.steps.dropFirst(place.steps.count + 1))
        guard compiled.storage.shape != .single else { return (nil, inside) }
        return (inside.first?.element, Array(inside.dropFirst()))
    }

    /// The collection as it is stored now; nil where something else, or nothing, has taken its place.
    private var current: MixedView? {
        let realm = realm
        realm.checkThread()
        if let found, generation == realm.state.pointee.generation, !realm.hasPending {
            return found
        }
        if way.isGone { return nil }
        let (row, place) = object.requireRow()
        let (element, inner) = parts
        let whole: MixedView
        if let element {
            let collection = place.binding.rowClass.collection(member, in: row, realm.source)
            guard let index = collection.index(of: element),
                let found = collection.element(index), !found.part.isNull(found.offset)
            else { return nil }
            whole = MixedView(found.part.bytes(found.offset))
        } else {
            let field = place.binding.rowClass.field(member, in: row)
            if field.isNull { return nil }
            whole = MixedView(field.bytes(compiled.storage, realm.source))
        }
        guard let view = try? whole.value(at: inner.map(\.text)), view.kind == kind else {
            return nil
        }
        found = view
        generation = realm.state.pointee.generation
        return view
    }

    private var view: MixedView {
        guard let current else { Misuse.end("Object has been deleted or invalidated.") }
        return current
    }

    override var count: Int { view.count }

    override func element(_ index: Int) -> StoredElement {
        let view = view
        if index < 0 { Misuse.end("Cannot use a negative value \(index) as an index.") }
        guard index < view.count else {
            Misuse.end("Index \(index) is out of bounds (must be less than \(view.count)).")
        }
        return stored(view.element(index), .index(index))
    }

    override func value(_ key: String) -> StoredElement? {
        let view = view
        var key = key
        let index = key.withUTF8 { view.index(ofKey: UnsafeRawBufferPointer($0)) }
        return index.map { stored(view.element($0), .key(Array(key.utf8))) }
    }

    override func key(_ index: Int) -> String {
        String(decoding: view.key(index), as: UTF8.self)
    }

    private func stored(_ view: MixedView, _ step: InnerWay.Step) -> StoredElement {
        let (element, inner) = parts
        return StoredElement(
            bytes: view.bytes, storage: .mixed, isNull: view.isNull, object: object, place: place,
            owner: EditPath.Owner(member: member, element: element), inner: inner + [step])
    }

    // MARK: Writing

    override func path(_ element: EditPath.Element) -> EditPath {
        let (outer, inner) = parts
        var path = EditPath(place.binding.rowClass)
        path.owners = place.owners
        path.member = member
        path.element = outer
        path.inner = (inner + [InnerWay.Step(element)]).map(\.text)
        return path
    }

    override func requireWrite() {
        super.requireWrite()
        _ = view
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

extension InnerWay.Step {
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

extension StoredCollection {
    /// Where an element is; nil where there is none.
    func index(of element: EditPath.Element) -> Int? {
        switch element {
        case .index(let position): position < count ? position : nil
        case .key(let key): key.withUnsafeBytes { index(ofKey: $0) }
        case .end: nil
        }
    }
}
