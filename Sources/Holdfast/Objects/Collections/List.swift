import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// An ordered collection of values, or of links to objects, or of embedded objects.
///
/// A list of a managed object is live, and is changed inside a write. A list that a program makes is unmanaged and holds its
/// elements itself.
public final class List<Element: RealmCollectionValue> {
    private enum Content {
        case own([Element])
        case stored(CollectionReference)
    }

    private var content: Content

    /// An empty list.
    public init() { content = .own([]) }

    init(_ place: CollectionReference) { content = .stored(place) }

    /// The list's place in the store; nil if it is unmanaged.
    var place: CollectionReference? {
        if case .stored(let place) = content { place } else { nil }
    }

    /// The realm of the list's object; nil if it is unmanaged.
    public var realm: Realm? { place.map { Realm($0.realm) } }
    /// Whether the list's object is gone.
    public var isInvalidated: Bool { place?.isInvalidated ?? false }
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { place?.realm.isFrozen ?? false }

    private var elements: [Element] { Array(self) }

    // MARK: Changing

    /// Replaces all elements.
    private func assign(_ elements: [Element]) {
        switch content {
        case .own: content = .own(elements)
        case .stored(let place): place.assign(elements: elements)
        }
    }

    /// Adds an element at the end.
    public func append(_ object: Element) {
        guard case .own(var elements) = content else {
            place?.put(.end, .insert) { $0.elements(CollectionOfOne(object)) }
            return
        }
        content = .own([])
        elements.append(object)
        content = .own(elements)
    }

    /// Adds elements at the end.
    public func append(objectsIn objects: some Sequence<Element>) {
        for object in Array(objects) { append(object) }
    }

    /// Inserts an element before the one at an index, or at the end.
    public func insert(_ object: Element, at index: Int) {
        requireIndex(index, within: count + 1)
        switch content {
        case .own(var elements):
            elements.insert(object, at: index)
            content = .own(elements)
        case .stored(let place):
            place.put(.index(index), .insert) { $0.elements(CollectionOfOne(object)) }
        }
    }

    /// Inserts elements before the one at an index, or at the end.
    public func insert<C: Collection>(contentsOf objects: C, at index: Int)
    where C.Element == Element {
        var next = index
        for object in Array(objects) {
            insert(object, at: next)
            next += 1
        }
    }

    /// Removes the element at an index.
    public func remove(at index: Int) {
        requireIndex(index, within: count)
        switch content {
        case .own(var elements):
            elements.remove(at: index)
            content = .own(elements)
        case .stored(let place): place.remove(.index(index))
        }
    }

    /// Removes all elements. Linked objects are not deleted.
    public func removeAll() { assign([]) }

    /// Removes the first elements. Ends the process if there are fewer.
    public func removeFirst(_ number: Int = 1) {
        requireIndex(number, within: count + 1)
        for _ in 0..<number { remove(at: 0) }
    }

    /// Removes the last elements. Ends the process if there are fewer.
    public func removeLast(_ number: Int = 1) {
        requireIndex(number, within: count + 1)
        for _ in 0..<number { remove(at: count - 1) }
    }

    /// Removes the elements of a range.
    public func removeSubrange<R: RangeExpression>(_ range: R) where R.Bound == Int {
        for index in range.relative(to: 0..<count).reversed() { remove(at: index) }
    }

    /// Removes the elements at some positions.
    public func remove(atOffsets offsets: IndexSet) {
        for index in offsets.reversed() { remove(at: index) }
    }

    /// Replaces a range of elements.
    public func replaceSubrange<C: Collection, R: RangeExpression>(_ range: R, with new: C)
    where C.Element == Element, R.Bound == Int {
        let range = range.relative(to: 0..<count)
        let new = Array(new)
        removeSubrange(range)
        insert(contentsOf: new, at: range.lowerBound)
    }

    /// Replaces an element.
    public func replace(index: Int, object: Element) { self[index] = object }

    /// Moves an element to the second index.
    public func move(from: Int, to: Int) {
        requireIndex(from, within: count)
        requireIndex(to, within: count)
        switch content {
        case .own(var elements):
            elements.insert(elements.remove(at: from), at: to)
            content = .own(elements)
        case .stored(let place): place.move(from: from, to: to)
        }
    }

    /// Exchanges two elements.
    public func swapAt(_ first: Int, _ second: Int) {
        requireIndex(first, within: count)
        requireIndex(second, within: count)
        let (low, high) = first < second ? (first, second) : (second, first)
        if low == high { return }
        move(from: high, to: low)
        move(from: low + 1, to: high)
    }

    private func requireIndex(_ index: Int, within end: Int) {
        if index < 0 { Misuse.end("Cannot pass a negative value as an index: \(index).") }
        if index >= end {
            Misuse.end("Index \(index) is out of bounds (must be less than \(end)).")
        }
    }
}

extension List: RandomAccessCollection, MutableCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { count }

    /// The number of elements. Cost: constant.
    public var count: Int {
        switch content {
        case .own(let elements): elements.count
        case .stored(let place): place.count
        }
    }

    /// The element at an index. Cost: constant for a list that is stored in its row, logarithmic for a large list.
    public subscript(position: Int) -> Element {
        get {
            switch content {
            case .own(let elements):
                if position >= elements.count, KeyPathTrace.isTracing {
                    guard let any = elements.first else { KeyPathTrace.endReading() }
                    return any
                }
                requireIndex(position, within: elements.count)
                return elements[position]
            case .stored(let place): return Element._decode(place.element(position))
            }
        }
        set {
            requireIndex(position, within: count)
            switch content {
            case .own(var elements):
                elements[position] = newValue
                content = .own(elements)
            case .stored(let place):
                place.put(.index(position), .replace) { $0.elements(CollectionOfOne(newValue)) }
            }
        }
    }

    /// Walks the present elements, unaffected by later writes.
    public func makeIterator() -> ResultsIterator<Element> {
        switch content {
        case .own(let elements): ResultsIterator(elements)
        case .stored(let place): ResultsIterator(place.queried)
        }
    }
}

extension List: Equatable {
    /// Whether both lists have equal elements; managed lists: whether both are the same list of one object.
    public static func == (a: List, b: List) -> Bool {
        switch (a.content, b.content) {
        case (.own(let x), .own(let y)): x == y
        case (.stored(let x), .stored(let y)):
            x.object.isSameObject(as: y.object) && x.member == y.member
        default: false
        }
    }
}

extension List: _Persistable {
    /// The type in the schema.
    public static var _shape: PropertyShape { PropertyShape(.list, Element._element) }
    /// The value of a property without a default.
    public static func _unset() -> List { List() }

    /// Reads a managed object's property.
    public static func _read(_ object: ObjectBase, _ position: FieldPosition) -> List {
        List(CollectionReference(object, member: Int(position.member)))
    }

    /// Writes a managed object's property.
    public static func _assign(_ value: List, _ object: ObjectBase, _ position: FieldPosition) {
        let place = CollectionReference(object, member: Int(position.member))
        let elements = value.elements
        place.assign { $0.elements(elements) }
    }

    /// Returns the state of an unmanaged object after a value was assigned to its property.
    public static func _held(_ value: List, replacing old: List?) -> List {
        let elements = value.elements
        let held = old ?? List()
        held.content = .own(elements)
        return held
    }

    /// Returns a value that stands for a tracing instance's property. If the element type has such a value, it is the only element.
    public static func _trace(_ object: ObjectBase, field: Int) -> List? {
        let list = List()
        list.content = .own([Element._trace(object, field: field)].compactMap { $0 })
        return list
    }

    /// Adds a property's value to a draft.
    public static func _state(_ value: List, in statement: Statement) {
        statement.elements(value.elements)
    }

    /// Connects a property's value to the store after its object has become managed.
    public static func _manage(_ value: List, _ object: ObjectBase, _ position: FieldPosition) {
        value.content = .stored(CollectionReference(object, member: Int(position.member)))
    }
}
