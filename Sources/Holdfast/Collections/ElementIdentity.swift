/// The identity of an element of a set: a value's equality, an object's identity, whether or not its class has a primary
/// key.
struct ElementIdentity<Element: RealmCollectionValue>: Hashable {
    private let element: Element

    init(_ element: Element) { self.element = element }

    private var object: ObjectBase? { (element as Any) as? ObjectBase }

    static func == (a: ElementIdentity, b: ElementIdentity) -> Bool {
        a.element == b.element || (a.object?.isSameObject(as: b.object) ?? false)
    }

    func hash(into hasher: inout Hasher) {
        guard let object else { return element.hash(into: &hasher) }
        object.hashStored(into: &hasher)
    }
}
