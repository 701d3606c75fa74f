import HoldfastRows

/// Objects of a class or elements of a collection: all, or only the ones that match a condition, in the chosen order.
///
/// Results are live: they show the realm's present version, and inside a write its changes. They are found when they are first
/// looked at. A `Results` belongs to the thread of its realm.
public struct Results<Element: RealmCollectionValue> {
    let core: ResultsCore

    init(_ core: ResultsCore) { self.core = core }

    /// The realm that the elements belong to; nil after it was invalidated.
    public var realm: Realm? { isInvalidated ? nil : Realm(core.realm) }

    /// Whether the realm has been invalidated after the results were made.
    public var isInvalidated: Bool { core.isInvalidated }
}

extension Results: RandomAccessCollection, LazyCollectionProtocol {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { count }
    /// The number of elements. Cost: an index look-up if the condition has an index, otherwise a scan.
    public var count: Int { core.count }

    /// The element at a position.
    public subscript(position: Int) -> Element { core.element(position, Element.self) }

    /// Whether there is no element. Cost: that of finding one.
    public var isEmpty: Bool { core.isEmpty }

    /// The first element; nil if the results are empty. Cost: that of finding this element.
    public var first: Element? {
        let first = core.firstOnly
        return first.keys.isEmpty ? nil : first.element(0, Element.self)
    }
    /// The last element; nil if the results are empty.
    public var last: Element? { isEmpty ? nil : self[count - 1] }

    /// Walks the present elements, unaffected by later writes.
    public func makeIterator() -> ResultsIterator<Element> { ResultsIterator(core) }
}

/// The source of results, before conditions and an order.
enum ResultsBase {
    /// All objects of a class. Identified by the class, because tables move between versions of the schema.
    case all(ModelClass)
    /// The objects that a list, set or map links to. The key of a null in a map is ``null``.
    case links(CollectionReference)
    /// The values or embedded objects of a list, set or map, by their positions in it.
    case elements(CollectionReference)
    /// The objects that link to an object.
    case origins(OriginReference)

    /// Instead of the key of an object, which is at least 1: a null.
    static let null: UInt64 = 0

    /// The elements of a managed collection.
    init(_ place: CollectionReference) {
        self = place.compiled.storage.element == .link ? .links(place) : .elements(place)
    }

    /// Whether the object with the collection is gone.
    var isInvalidated: Bool {
        switch self {
        case .all: false
        case .links(let place), .elements(let place): place.isInvalidated
        case .origins(let place): place.object.isInvalidated
        }
    }
}

extension ResultsBase: Equatable {
    /// Whether both are the same class, or the same collection of one object.
    static func == (a: ResultsBase, b: ResultsBase) -> Bool {
        switch (a, b) {
        case (.all(let x), .all(let y)): x === y
        case (.links(let x), .links(let y)), (.elements(let x), .elements(let y)): x.isSame(as: y)
        case (.origins(let x), .origins(let y)): x.isSame(as: y)
        default: false
        }
    }
}

/// A walk over the elements that a realm's collection had at the start.
///
/// An object that has been deleted meanwhile is invalidated.
public struct ResultsIterator<Element: RealmCollectionValue>: IteratorProtocol {
    /// The objects of a realm, made one by one. A class, so that taking one object counts one reference.
    private final class Objects {
        let realm: RealmCore
        let binding: ClassBinding
        let found: ResultsCore.Found

        init(_ core: ResultsCore) {
            realm = core.realm
            binding = core.binding
            found = core.objects
        }

        func object(_ position: Int) -> ObjectBase {
            var row: RowView?
            if let rows = found.rows, found.generation == realm.state.pointee.generation {
                row = RowView(unchecked: rows[position])
            }
            return realm.object(binding, key: found.keys[position], row: row)
        }
    }

    private let objects: Objects?
    private let values: [Element]
    private var position = 0

    init(_ values: [Element]) {
        objects = nil
        self.values = values
    }

    init(_ core: ResultsCore) {
        guard !core.hasObjectKeys else {
            objects = Objects(core)
            values = []
            return
        }
        objects = nil
        // Their positions change with the collection.
        values = core.keys.map { core.element(ofKey: $0) }
    }

    /// The next element.
    public mutating func next() -> Element? {
        defer { position += 1 }
        guard let objects else { return position < values.count ? values[position] : nil }
        guard position < objects.found.keys.count else { return nil }
        if objects.found.keys[position] == ResultsBase.null { return Element._unset() }
        return Element._of(objects.object(position))
    }
}
