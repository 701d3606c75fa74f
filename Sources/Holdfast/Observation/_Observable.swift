import Dispatch

/// A collection, a map, sections or one of them: observers are told of its changes in one form.
public protocol _Observable: ThreadConfined {
    /// The notification of an observer.
    associatedtype _Change
    /// The root of the key paths of observers.
    associatedtype _ObservedElement

    /// Has `block` called when it has changed.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_Change) -> Void
    ) -> NotificationToken
}

extension _Observable {
    /// Has `block` called on an actor, with the actor's own view of what is observed, in whose realm the observation begins.
    ///
    /// The token may be invalidated anywhere. The actor is not kept by it, and is told nothing once it is gone.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties whose changes are told, as without an actor.
    ///   - actor: The actor, whose realm is opened for as long as the observation lasts.
    ///   - isolation: The actor of the realm that this belongs to, which is the calling code's.
    ///   - block: Is told of changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, _Change) -> Void
    ) async -> NotificationToken {
        await observed(on: actor, isolation: isolation, block) {
            $0.observe(keyPaths: keyPaths, on: nil, $1)
        }
    }

    /// The notifications of `observe`, as a sequence.
    public func changes(keyPaths: [String]? = nil) -> RealmChanges<_Change> {
        RealmChanges { self.observe(keyPaths: keyPaths, on: nil, $0) }
    }
}

extension _Observable where _ObservedElement: _ObjectView {
    /// Has `block` called when it has changed, of the elements in the properties of key paths alone.
    public func observe(
        keyPaths: [PartialKeyPath<_ObservedElement>], on queue: DispatchQueue? = nil,
        _ block: @escaping (_Change) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathNames.text(of: $0) }, on: queue, block)
    }

    /// Has `block` called on an actor when it has changed, of the elements in the properties of key paths alone.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<_ObservedElement>], on actor: A,
        isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, _Change) -> Void
    ) async -> NotificationToken {
        let names = keyPaths.map { KeyPathNames.text(of: $0) }
        return await observe(keyPaths: names, on: actor, isolation: isolation, block)
    }
}
