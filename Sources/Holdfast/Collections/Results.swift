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
