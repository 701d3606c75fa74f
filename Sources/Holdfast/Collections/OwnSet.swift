/// The elements of an unmanaged set: each once, in the order in which they came.
struct OwnSet<Element: RealmCollectionValue> {
    private(set) var list: [Element] = []
    private var identities: Set<ElementIdentity<Element>> = []

    init(_ elements: [Element]) {
        for element in elements { insert(element) }
    }

    func contains(_ element: Element) -> Bool { identities.contains(ElementIdentity(element)) }

    mutating func insert(_ element: Element) {
        if identities.insert(ElementIdentity(element)).inserted { list.append(element) }
    }

    mutating func remove(_ element: Element) {
        let identity = ElementIdentity(element)
        if identities.remove(identity) == nil { return }
        list.removeAll { ElementIdentity($0) == identity }
    }
}
