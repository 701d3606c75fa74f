import Dispatch

extension RealmKeyedCollection {
    /// Has `block` called with the map, and when keys have come, gone or got other values.
    ///
    /// As observers of collections are called, see ``RealmCollection/observe(keyPaths:on:_:)``. Cost of a call: linear in
    /// the map.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of objects that are values, whose changes are told; all without any.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the map.
    ///   - block: Is told of changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(keyPaths: keyPaths, block) } }
        let place = _queried.managed.base.collection
        _ = place.object.requireRow()
        let followed = FollowedEntries(place, keyPaths)
        return CollectionObservation<MapChanges>(in: place.realm, followed) {
            block($0?.change(of: self) ?? .initial(self))
        }.begin()
    }
}

extension ResultsBase {
    /// The collection that results are taken from.
    fileprivate var collection: CollectionPlace {
        switch self {
        case .links(let place), .elements(let place): place
        case .all, .origins: Misuse.end("There is no collection to observe.")
        }
    }
}
