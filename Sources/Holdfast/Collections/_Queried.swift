/// A source of elements for conditions, orders and aggregates: realm collections, and the values of maps.
///
/// The requirements are the library's own.
public protocol _Queried {
    /// The type of the elements.
    associatedtype _QueriedElement: RealmCollectionValue
    /// The elements as the store has them.
    var _queried: QueriedElements { get }
    /// The elements of now.
    var _all: [_QueriedElement] { get }
}

extension CollectionPlace {
    /// All elements.
    var queried: ResultsCore { ResultsCore(realm, ResultsBase(self)) }
}

extension List: _Queried {
    /// The elements as the store has them.
    public var _queried: QueriedElements { QueriedElements(core: place?.queried, kind: "List") }
    /// The elements of now.
    public var _all: [Element] { Array(self) }
}

extension MutableSet: _Queried {
    /// The elements as the store has them.
    public var _queried: QueriedElements {
        QueriedElements(core: place?.queried, kind: "MutableSet")
    }
    /// The elements of now.
    public var _all: [Element] { Array(self) }
}

extension LinkingObjects: _Queried {
    /// The elements as the store has them.
    public var _queried: QueriedElements {
        QueriedElements(
            core: place.map { ResultsCore($0.realm, .origins($0)) }, kind: "LinkingObjects")
    }
    /// The elements of now.
    public var _all: [Element] { Array(self) }
}

extension Results: _Queried {
    /// The elements as the store has them.
    public var _queried: QueriedElements { QueriedElements(core: core, kind: "Results") }
    /// The elements of now.
    public var _all: [Element] { Array(self) }
}

extension Map: _Queried {
    /// The elements as the store has them.
    public var _queried: QueriedElements { QueriedElements(core: place?.queried, kind: "Map") }
    /// The elements of now.
    public var _all: [Value] { values }
}
