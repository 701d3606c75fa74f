import Dispatch

extension ThreadConfined {
    /// Observes the same thing in the realm of a serial queue, which follows commits by itself.
    ///
    /// - `begin`: Observes it there.
    fileprivate func observed(
        on queue: DispatchQueue, _ begin: @escaping (Self) -> NotificationToken
    ) -> NotificationToken {
        // What is not managed has the faults of observing it here.
        guard let core = realm?.core else { return begin(self) }
        Observation.requireObservable(core)
        let token = NotificationToken()
        let queued = QueuedObservation { found in (found as? Self).map(begin) }
        let (configuration, address) = (core.configuration, _makeAddress())
        queue.async { [weak token] in
            guard let token, !token.isInvalidated,
                let realm = try? Realm(configuration: configuration, queue: queue)
            else { return }
            realm.refresh()
            if let begun = queued.begin(address.find(realm.core)) { token.adopt(begun) }
        }
        return token
    }
}

/// The begin of an observation on its way to a queue.
private struct QueuedObservation: @unchecked Sendable {
    // Unchecked: the queue alone calls the block.

    /// Observes what was found in the queue's realm; nil where it is gone.
    let begin: (Any?) -> NotificationToken?
}

extension RealmCollectionValue where Self: ObjectBase {
    /// As ``observe(keyPaths:_:)-([String]?,_)``, with `block` called on a serial queue, and with the queue's own view of the object.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observed(on: queue) { $0.observe(keyPaths: keyPaths, block) }
    }
}

extension ProjectionObservable {
    /// As ``observe(keyPaths:_:)-([String]?,_)``, with `block` called on a serial queue, and with the queue's own view of the object.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observed(on: queue) { $0.observe(keyPaths: keyPaths, block) }
    }
}

extension RealmCollection {
    /// As ``observe(keyPaths:_:)-([String]?,_)``, with `block` called on a serial queue, and with the queue's own view of the elements.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observed(on: queue) { $0.observe(keyPaths: keyPaths, block) }
    }
}

extension RealmKeyedCollection {
    /// As ``observe(keyPaths:_:)``, with `block` called on a serial queue, and with the queue's own view of the map.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        observed(on: queue) { $0.observe(keyPaths: keyPaths, block) }
    }
}
