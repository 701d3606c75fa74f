import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A collection of distinct values, or of links to distinct objects.
///
/// A managed set is iterated in the order of its values: nulls, bools, numbers, texts and so on. A set that a program makes is
/// unmanaged and holds its elements itself, in any order.
public final class MutableSet<Element: RealmCollectionValue> {
    private enum Content {
        case own(OwnSet<Element>)
        case stored(CollectionReference)
    }

    private var content: Content

    /// An empty set.
    public init() { content = .own(OwnSet([])) }

    init(_ place: CollectionReference) { content = .stored(place) }

    var place: CollectionReference? {
        if case .stored(let place) = content { place } else { nil }
    }

    /// The realm of the set's object; nil if it is unmanaged.
    public var realm: Realm? { place.map { Realm($0.realm) } }
    /// Whether the set's object is gone.
    public var isInvalidated: Bool { place?.isInvalidated ?? false }
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { place?.realm.isFrozen ?? false }

    private var elements: [Element] { Array(self) }

    private func assign(_ elements: [Element]) {
        switch content {
        case .own: content = .own(OwnSet(elements))
        case .stored(let place): place.assign { $0.elements(elements) }
        }
    }

    /// Adds an element, unless the set contains it. Cost: constant for an unmanaged set.
    public func insert(_ object: Element) {
        switch content {
        case .own(var elements):
            content = .own(OwnSet([]))
            elements.insert(object)
            content = .own(elements)
        case .stored(let place): place.put(.end, .add) { $0.elements(CollectionOfOne(object)) }
        }
    }

    /// Adds elements.
    public func insert(objectsIn objects: some Sequence<Element>) {
        for object in Array(objects) { insert(object) }
    }

    /// Removes an element, if the set contains it.
    public func remove(_ object: Element) {
        switch content {
        case .own(var elements):
            elements.remove(object)
            content = .own(elements)
        case .stored(let place):
            place.requireWrite()
            if let index = index(of: object) { place.remove(.index(index)) }
        }
    }

    /// Removes all elements.
    public func removeAll() { assign([]) }

    /// Whether an element is in the set. An object is found by its identity.
    public func contains(_ object: Element) -> Bool {
        switch content {
        case .own(let elements): elements.contains(object)
        case .stored: index(of: object) != nil
        }
    }

    /// Whether another set has all of the elements.
    public func isSubset(of other: MutableSet<Element>) -> Bool {
        identities.isSubset(of: other.identities)
    }

    /// Whether both sets have an element in common.
    public func intersects(_ other: MutableSet<Element>) -> Bool {
        !identities.isDisjoint(with: other.identities)
    }

    /// Adds the elements of another set.
    public func formUnion(_ other: MutableSet<Element>) { insert(objectsIn: other) }

    /// Keeps the elements that another set has.
    public func formIntersection(_ other: MutableSet<Element>) {
        let others = other.identities
        assign(elements.filter { others.contains(ElementIdentity($0)) })
    }

    /// Removes the elements that another set has.
    public func subtract(_ other: MutableSet<Element>) {
        let others = other.identities
        assign(elements.filter { !others.contains(ElementIdentity($0)) })
    }

    private var identities: Set<ElementIdentity<Element>> { Set(map { ElementIdentity($0) }) }
}

extension MutableSet: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { count }

    /// The number of elements. Cost: constant.
    public var count: Int {
        switch content {
        case .own(let elements): elements.list.count
        case .stored(let place): place.collection.count
        }
    }

    /// The element at a position.
    public subscript(position: Int) -> Element {
        switch content {
        case .own(let elements):
            guard elements.list.indices.contains(position) else {
                Misuse.endOutOfBounds(position, elements.list.count)
            }
            return elements.list[position]
        case .stored(let place): return Element._decode(place.element(position))
        }
    }

    /// Walks the present elements, unaffected by later writes.
    public func makeIterator() -> ResultsIterator<Element> {
        switch content {
        case .own(let elements): ResultsIterator(elements.list)
        case .stored(let place): ResultsIterator(place.queried)
        }
    }
}

extension MutableSet: _Persistable {
    /// The type in the schema.
    public static var _shape: PropertyShape { PropertyShape(.set, Element._element) }
    /// The value of a property without a default.
    public static func _unset() -> MutableSet { MutableSet() }

    /// Reads a managed object's property.
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> MutableSet {
        MutableSet(CollectionReference(object, member: Int(position.member)))
    }

    /// Writes a managed object's property.
    public static func _assign(_ value: MutableSet, _ object: ObjectBase, _ position: FieldPosition)
    {
        let elements = value.elements
        CollectionReference(object, member: Int(position.member)).assign { $0.elements(elements) }
    }

    /// Returns the state of an unmanaged object after a value was assigned to its property.
    public static func _held(_ value: MutableSet, replacing old: MutableSet?) -> MutableSet {
        let elements = value.elements
        let held = old ?? MutableSet()
        held.assign(elements)
        return held
    }

    /// Returns a value that stands for a tracing instance's property. If the element type has such a value, it is the only element.
    public static func _trace(_ object: ObjectBase, field: Int) -> MutableSet? {
        let set = MutableSet()
        set.content = .own(OwnSet([Element._trace(object, field: field)].compactMap { $0 }))
        return set
    }

    /// Adds a property's value to a draft.
    public static func _state(_ value: MutableSet, in statement: Statement) {
        statement.elements(value.elements)
    }

    /// Connects a property's value to the store after its object has become managed.
    public static func _manage(_ value: MutableSet, _ object: ObjectBase, _ position: FieldPosition)
    {
        value.content = .stored(CollectionReference(object, member: Int(position.member)))
    }
}

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

/// The identity of an element of a set: a value's equality, an object's identity, whether or not its class has a primary key.
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
