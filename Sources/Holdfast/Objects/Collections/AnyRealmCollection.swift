/// A realm collection of any kind, with a given type of elements. It is as live as the collection that it wraps.
///
///     class ViewController {
///         let collection: AnyRealmCollection<Dog>
///     }
public struct AnyRealmCollection<Element: RealmCollectionValue> {
    let base: any RealmCollection<Element>

    /// Wraps a collection.
    public init<C: RealmCollection & _ObjcBridgeable>(_ collection: C)
    where C.ElementType == Element {
        base = collection
    }

    /// The realm that the elements belong to; nil for an unmanaged collection.
    public var realm: Realm? { base.realm }
    /// Whether the realm was invalidated, or the object with the collection is gone.
    public var isInvalidated: Bool { base.isInvalidated }
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { base.isFrozen }
}

extension AnyRealmCollection: RealmCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { count }
    /// The number of elements. Cost: that of the collection.
    public var count: Int { base.count }

    /// The element at a position. Cost: that of the collection.
    public subscript(position: Int) -> Element { base[position] }

    /// The elements in the store.
    public var _queried: QueriedElements { base._queried }
    /// The present elements.
    public var _all: [Element] { base._all }

    /// Walks the present elements, unaffected by later writes.
    public func makeIterator() -> AnyIterator<Element> { Self.iterator(base) }

    private static func iterator<C: RealmCollection>(_ collection: C) -> AnyIterator<Element>
    where C.ElementType == Element {
        AnyIterator(collection.makeIterator())
    }
}

/// The elements of a collection as the store has them.
public struct QueriedElements {
    /// Nil for an unmanaged collection.
    let core: ResultsCore?
    /// The kind of collection, for messages.
    let kind: String

    /// Ends the process for an unmanaged collection.
    var managed: ResultsCore {
        guard let core else { Misuse.end(Misuse.unmanaged(kind)) }
        return core
    }

    /// Whether both are the same collection of one object, or the same query of one realm.
    static func isSame(_ a: ResultsCore, _ b: ResultsCore) -> Bool {
        a === b || (a.realm === b.realm && a.base == b.base && a.parts == b.parts)
    }
}
