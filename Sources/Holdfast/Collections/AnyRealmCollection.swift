/// A realm collection of any kind, by the type of its elements: as live as the one that it stands for.
///
///     class ViewController {
///         let collection: AnyRealmCollection<Dog>
///     }
public struct AnyRealmCollection<Element: RealmCollectionValue> {
    let base: any RealmCollection<Element>

    /// Stands for a collection.
    public init<C: RealmCollection & _ObjcBridgeable>(_ collection: C)
    where C.ElementType == Element {
        base = collection
    }

    /// The realm that the elements belong to; nil for an unmanaged collection.
    public var realm: Realm? { base.realm }
    /// Whether the realm was invalidated, or the object that holds the collection is gone.
    public var isInvalidated: Bool { base.isInvalidated }
    /// Whether it shows one version for good.
    public var isFrozen: Bool { base.isFrozen }
}

extension AnyRealmCollection: RealmCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position behind the last element.
    public var endIndex: Int { count }
    /// The number of elements. Cost: that of the collection.
    public var count: Int { base.count }

    /// The element at a position. Cost: that of the collection.
    public subscript(position: Int) -> Element { base[position] }

    /// The elements as the store has them.
    public var _queried: QueriedElements { base._queried }
    /// The elements of now.
    public var _all: [Element] { base._all }

    /// Walks the present elements, whatever is written meanwhile.
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

    /// Whether both are one collection of one object, or one query of one realm.
    static func isSame(_ a: ResultsCore, _ b: ResultsCore) -> Bool {
        a === b || (a.realm === b.realm && a.base == b.base && a.parts == b.parts)
    }
}
