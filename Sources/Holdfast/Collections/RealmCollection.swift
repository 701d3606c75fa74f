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

/// A protocol of every realm collection, without requirements: Realm's programs name it beside `RealmCollection`.
public protocol _ObjcBridgeable {}

extension List: RealmCollection {}

extension MutableSet: RealmCollection {}

extension LinkingObjects: RealmCollection {
    /// Whether it shows one version for good.
    public var isFrozen: Bool { place?.object.isFrozen ?? false }
}

extension Results: RealmCollection {
    /// Whether it shows one version for good.
    public var isFrozen: Bool { core.realm.isFrozen }
}
