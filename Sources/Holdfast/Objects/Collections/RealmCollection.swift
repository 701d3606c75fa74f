/// A collection of values or objects of a realm: `Results`, `List`, `MutableSet` or `LinkingObjects`, or any of them in an
/// `AnyRealmCollection`.
///
///     func describe<C: RealmCollection>(_ collection: C) -> String { "\(collection.count) elements" }
///
/// A managed one is live: it shows the present version of its realm, and belongs to the realm's thread.
public protocol RealmCollection<ElementType>: RandomAccessCollection, LazyCollectionProtocol,
    _ObjcBridgeable, _Observable, _Queried, Equatable, CustomStringConvertible
where
    Index == Int, _QueriedElement == Element, _ObservedElement == Element,
    _Change == RealmCollectionChange<Self>
{
    /// The type of the elements.
    associatedtype ElementType: RealmCollectionValue where ElementType == Element

    /// The collection as its observers follow it.
    func _observed(_ keyPaths: [String]?) -> _ObservedCollection
}

/// A protocol without requirements that every realm collection has, because Realm's programs name it beside `RealmCollection`.
public protocol _ObjcBridgeable {}

extension List: RealmCollection {}

extension MutableSet: RealmCollection {}

extension LinkingObjects: RealmCollection {
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { place?.object.isFrozen ?? false }
}

extension Results: RealmCollection {
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { core.realm.isFrozen }
}

extension Results: Equatable {
    /// Whether both have the same condition and order, for the same class or collection of one realm.
    public static func == (a: Results, b: Results) -> Bool {
        QueriedElements.isSame(a.core, b.core)
    }
}

extension MutableSet: Equatable {
    /// Whether both sets have equal elements; managed sets: whether both are the same set of one object.
    public static func == (a: MutableSet, b: MutableSet) -> Bool {
        if let x = a.place, let y = b.place { return x.isSame(as: y) }
        return a.place == nil && b.place == nil && a.count == b.count && a.isSubset(of: b)
    }
}

extension Map: Equatable {
    /// Whether both maps have equal entries; managed maps: whether both are the same map of one object.
    public static func == (a: Map, b: Map) -> Bool {
        if let x = a.place, let y = b.place { return x.isSame(as: y) }
        return a.place == nil && b.place == nil && a.keys == b.keys && a.values == b.values
    }
}

extension LinkingObjects: Equatable {
    /// Whether both are the same inverse link of one object.
    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
        if let x = a.place, let y = b.place { return x.isSame(as: y) }
        return a === b
    }
}

extension AnyRealmCollection: Equatable {
    /// Whether both wrap the same collection of one object, or the same query; unmanaged collections: whether their elements are
    /// equal.
    public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
        if let x = a._queried.core, let y = b._queried.core { return QueriedElements.isSame(x, y) }
        return a.realm == nil && b.realm == nil && a.elementsEqual(b)
    }
}

extension RealmCollection {
    /// The position of an element; nil if it is absent. Objects are found by identity, not by their values.
    ///
    /// Cost: linear.
    public func index(of object: Element) -> Int? {
        guard let sought = object as? ObjectBase else { return firstIndex(of: object) }
        if let core = _queried.core, core.hasObjectKeys {
            guard let place = sought.place, place.owners.isEmpty, place.realm === core.realm,
                place.rootClass.index == core.binding.rowClass.index
            else { return nil }
            return core.keys.firstIndex(of: place.key)
        }
        return _all.firstIndex { (($0 as Any) as? ObjectBase)?.isSameObject(as: sought) ?? false }
    }

    /// The elements at some positions. Ends the process for a position that is out of range.
    public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }

    /// The value of a property of each object, in order, null as `NSNull`; `self` are the elements themselves.
    public func value(forKey key: String) -> Any? {
        _all.map { element -> Any in
            guard key != "self" else { return element }
            return Self.object(element, key)?.value(forKey: key) ?? NSNull()
        }
    }

    /// Sets a property of each object, as ``ObjectBase/setValue(_:forKey:)`` does.
    public func setValue(_ value: Any?, forKey key: String) {
        for element in _all { Self.object(element, key)?.setValue(value, forKey: key) }
    }

    /// An element as an object; nil for null, such as a map has.
    private static func object(_ element: Element, _ key: String) -> ObjectBase? {
        guard let element = ExplicitValues.unwrapped(element) else { return nil }
        guard let object = element as? ObjectBase else {
            Misuse.end("A value of type '\(Element.self)' has no property '\(key)'.")
        }
        return object
    }

    /// The elements, in order; at most the first 100.
    public var description: String { CollectionText.describe("\(Self.self)", self) { "\($0)" } }
}

/// A notification of a collection's observer.
///
/// To keep an own list in step, take out the deletions from the end, then put in the insertions from the beginning. The list then
/// equals the collection at each call.
public enum RealmCollectionChange<CollectionType> {
    /// The collection as it was first found. Reported once, before everything else.
    case initial(CollectionType)
    /// Elements were removed, inserted or changed. A moved element is reported as a deletion and an insertion.
    ///
    /// - `deletions`, `modifications`: The indices before the change, ascending.
    /// - `insertions`: The indices after the change, ascending.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Reading failed. Never reported: reading faults end the process.
    case error(any Error)
}
