import Dispatch
import HoldfastObjectStore

extension RealmCollectionValue where Self: ObjectBase {
    /// Calls `block` when properties of the object have changed, and when it was deleted.
    ///
    /// The call is made where the realm belongs; on a thread, within ``Realm/refresh()``, the begin of a write and a commit.
    /// Several writes may be reported as one. Ends the process if the object is unmanaged or deleted, during a write, and in a
    /// frozen realm.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties, also of linked objects (`"owner.name"`) and any (`"*"`). If empty, all properties
    ///     of the object and of the objects up to four links away.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the object.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(keyPaths: keyPaths, block) } }
        guard let place else {
            Misuse.end("Only objects which are managed by a Realm support change notifications")
        }
        let properties = OwnProperties(place, ObservedPaths(place.binding.model, keyPaths))
        // Faults of the call are reported before the observation is handed over.
        let observation = ObjectObservation(place, properties) {
            block(ObjectChange(self, $0, self.value(forKey:)))
        }
        _ = requireRow()
        return observation.begin()
    }

    /// Calls `block` when the properties of key paths have changed, as ``observe(keyPaths:on:_:)-([String]?,_,_)`` does.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathNames.text(of: $0) }, on: queue, block)
    }

    /// Calls `block` on an actor, with the actor's own view of the object. The observation begins in the actor's realm.
    ///
    /// The token does not keep the actor. Once the actor is gone, nothing is reported.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties, as without an actor.
    ///   - actor: The actor. Its realm stays open as long as the observation lasts.
    ///   - isolation: The actor of this object's realm, on which the calling code runs.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observed(on: actor, isolation: isolation, block) {
            $0.observe(keyPaths: keyPaths, $1)
        }
    }

    /// Calls `block` on an actor when the properties of key paths have changed.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A,
        isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let names = keyPaths.map { KeyPathNames.text(of: $0) }
        return await observe(keyPaths: names, on: actor, isolation: isolation, block)
    }

    /// The notifications of `observe`, as a sequence.
    public func changes(keyPaths: [String]? = nil) -> RealmChanges<ObjectChange<Self>> {
        RealmChanges { self.observe(keyPaths: keyPaths, $0) }
    }
}

/// A notification of an object's observer.
public enum ObjectChange<T> {
    /// Reading failed. Never reported: reading faults end the process.
    case error(_ error: any Error)
    /// Properties of the object have changed, or objects that they link to.
    case change(_ object: T, _ properties: [PropertyChange])
    /// The object was deleted. Nothing else is reported afterwards.
    case deleted
}
