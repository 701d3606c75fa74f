/// What has elements that conditions, orders and aggregates are about: realm collections, and the values of maps.
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

/// The elements of a collection as the store has them.
public struct QueriedElements {
    /// Nil for an unmanaged collection.
    let core: ResultsCore?
    /// The kind of collection, for messages.
    let kind: String

    /// Ends the process for an unmanaged collection.
    var managed: ResultsCore {
        guard let core else {
            Misuse.end(
                "This method may only be called on \(kind) instances retrieved from a Realm.")
        }
        return core
    }
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
