import Dispatch

/// A collection, a map, a sectioned collection or one section. All of them report changes to observers in one form.
public protocol _Observable: ThreadConfined {
    /// The notification of an observer.
    associatedtype _Change
    /// The root of the key paths of observers.
    associatedtype _ObservedElement

    /// Calls `block` after a change.
    func observe(
        keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (_Change) -> Void
    ) -> NotificationToken
}

extension _Observable {
    /// Calls `block` on an actor, with the actor's own view of the collection. The observation begins in the actor's realm.
    ///
    /// The token may be invalidated anywhere. It does not keep the actor. Once the actor is gone, nothing is reported.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties, as without an actor.
    ///   - actor: The actor. Its realm stays open as long as the observation lasts.
    ///   - isolation: The actor of this collection's realm, on which the calling code runs.
    ///   - block: Receives the changes.
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
    /// Calls `block` after a change; changes in elements only count in the properties of key paths.
    public func observe(
        keyPaths: [PartialKeyPath<_ObservedElement>], on queue: DispatchQueue? = nil,
        _ block: @escaping (_Change) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathNames.text(of: $0) }, on: queue, block)
    }

    /// Calls `block` on an actor after a change; changes in elements only count in the properties of key paths.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<_ObservedElement>], on actor: A,
        isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, _Change) -> Void
    ) async -> NotificationToken {
        let names = keyPaths.map { KeyPathNames.text(of: $0) }
        return await observe(keyPaths: names, on: actor, isolation: isolation, block)
    }
}
