import Dispatch
import HoldfastObjectStore

extension RealmCollectionValue where Self: ObjectBase {
    /// Has `block` called when properties of the object have changed, and when it was deleted.
    ///
    /// It is called where the realm belongs: on a thread within ``Realm/refresh()``, the begin of a write and a commit. Several writes
    /// may be told as one. An unmanaged or deleted object ends the process, as a write under way and a frozen realm do.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties, also of objects behind links (`"owner.name"`) and any (`"*"`), whose changes are told. Without
    ///     any, all of the object and of the objects up to four links away.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the object.
    ///   - block: Is told of changes.
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
        // The faults of where it is asked come first.
        let observation = ObjectObservation(place, properties) {
            block(ObjectChange(self, $0, self.value(forKey:)))
        }
        _ = requireRow()
        return observation.begin()
    }

    /// Has `block` called when the properties of key paths have changed, as ``observe(keyPaths:on:_:)-([String]?,_,_)`` does.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathNames.text(of: $0) }, on: queue, block)
    }

    /// Has `block` called on an actor, with the actor's own view of the object, in whose realm the observation begins.
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

    /// Has `block` called on an actor when the properties of key paths have changed.
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
    /// Reading failed. Never told: reading faults end the process.
    case error(_ error: any Error)
    /// Properties of the object have changed, or what they lead to.
    case change(_ object: T, _ properties: [PropertyChange])
    /// The object was deleted: nothing else is told afterwards.
    case deleted
}
