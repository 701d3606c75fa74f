import Dispatch

extension ProjectionObservable {
    /// Has `block` called when projected properties have changed, and when the object was deleted.
    ///
    /// It is called where and when observers of the object are. Properties are told by their names in the projection, with what it
    /// showed before and shows now; what it does not project is not told. A projection of an unmanaged object ends the process.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties whose changes are told, by their names in the projection or by the paths of the object that
    ///     it projects; all without any.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the projection.
    ///   - block: Is told of changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(keyPaths: keyPaths, block) } }
        guard let place = rootObject.place else {
            Misuse.end("Only objects which are managed by a Realm support change notifications")
        }
        let properties = ProjectionClass.of(self).properties(meantBy: keyPaths)
        // The faults of where it is asked come first.
        let object = rootObject
        let observed = ProjectedProperties(object, place, properties)
        let observation = ObjectObservation(place, observed) { change in
            block(
                ObjectChange(self, change) { name in
                    properties.first { $0.name == name }?.value(of: object)
                })
        }
        _ = rootObject.requireRow()
        return observation.begin()
    }

    /// Has `block` called when the projected properties of key paths have changed, as ``observe(keyPaths:on:_:)-([String]?,_,_)``
    /// does.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: names(of: keyPaths), on: queue, block)
    }

    /// Has `block` called on an actor, with the actor's own view of the projection, in whose realm the observation begins.
    ///
    /// The actor is not kept by the token, and is told nothing once it is gone.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties whose changes are told, as without an actor.
    ///   - actor: The actor, whose realm is opened for as long as the observation lasts.
    ///   - isolation: The actor of the realm that this belongs to, which is the calling code's.
    ///   - block: Is told of changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observed(on: actor, isolation: isolation, block) {
            $0.observe(keyPaths: keyPaths, $1)
        }
    }

    /// Has `block` called on an actor when the projected properties of key paths have changed.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A,
        isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let names = names(of: keyPaths)
        return await observe(keyPaths: names, on: actor, isolation: isolation, block)
    }

    /// The notifications of `observe` for the projection, as a sequence.
    public func changes(keyPaths: [String]? = nil) -> RealmChanges<ObjectChange<Self>> {
        RealmChanges { self.observe(keyPaths: keyPaths, $0) }
    }

    /// The names of the properties of key paths.
    private func names(of keyPaths: [PartialKeyPath<Self>]) -> [String] {
        let properties = ProjectionClass.of(self).properties
        return keyPaths.flatMap { keyPath in
            // Two properties that depend on the same are told both.
            let paths = KeyPathNames.paths(of: keyPath, from: Root.self) {
                _ = Self._of($0)[keyPath: keyPath]
            }
            let meant = properties.filter { $0.paths == paths }
            if meant.isEmpty { Misuse.end("The key path of '\(Self.self)' is of no property.") }
            return meant.map(\.name)
        }
    }

    /// The paths of the object that observers of several projections are told, of some of their properties or of all.
    static func observedPaths(_ keyPaths: [String]?) -> [String] {
        ProjectionClass.of(Self(projecting: Root())).properties(meantBy: keyPaths).flatMap(\.paths)
    }
}
