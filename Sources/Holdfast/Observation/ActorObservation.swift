import Dispatch

/// An observation that is handed over to the queue or actor of another realm of the store, where it begins.
private struct ActorObservation: @unchecked Sendable {
    // Unchecked: the block is called only by the queue or actor that it is handed to.

    let configuration: Realm.Configuration
    let address: _Address
    /// The commit that the observing realm has seen; the other realm's commit is not older.
    let commit: UInt64
    /// Observes the object or collection found in the other realm; nil if it has another type.
    let begin: (Any) -> NotificationToken?

    /// Begins in the realm of the calling queue or actor; nil if the realm can't be opened or the observed object is gone.
    func begin(in confinement: Confinement) -> NotificationToken? {
        guard let realm = try? OpenRealms.core(of: configuration, in: confinement) else {
            return nil
        }
        realm.checkThread()
        realm.catchUp(to: commit)
        return address.find(realm).flatMap(begin)
    }

    func begin(on actor: isolated some Actor) -> NotificationToken? {
        begin(in: Confinement(actor))
    }
}

extension ThreadConfined {
    /// Hands over an observation. Ends the process if observing is not possible here; nil if the object is not managed.
    private func handedOver(_ begin: @escaping (Self) -> NotificationToken) -> ActorObservation? {
        guard let core = realm?.core else { return nil }
        Observation.requireObservable(core)
        return ActorObservation(
            configuration: core.configuration, address: _makeAddress(), commit: core.commitNumber
        ) { ($0 as? Self).map(begin) }
    }

    /// Observes the same object or collection in the realm of a serial queue, which follows commits by itself.
    ///
    /// - `begin`: Observes it there. If it is not managed, called at once, so that it reports its faults.
    func observed(
        on queue: DispatchQueue, _ begin: @escaping (Self) -> NotificationToken
    ) -> NotificationToken {
        guard let handed = handedOver(begin) else { return begin(self) }
        let token = NotificationToken()
        queue.async { [weak token] in
            guard let token, !token.isInvalidated else { return }
            if let begun = handed.begin(in: Confinement(queue)) { token.adopt(begun) }
        }
        return token
    }

    /// Observes the same object or collection in the realm of an actor, which follows commits by itself.
    ///
    /// - `begin`: Observes it there, with a block that calls the program's block on the actor.
    func observed<A: Actor, Change>(
        on actor: A, isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, Change) -> Void,
        _ begin: @escaping (Self, @escaping (Change) -> Void) -> NotificationToken
    ) async -> NotificationToken {
        // Usually the actor keeps the token, and so this block.
        let tell = { [weak actor] (change: Change) in
            nonisolated(unsafe) let change = change
            actor?.assumeIsolated { block($0, change) }
        }
        guard let handed = handedOver({ begin($0, tell) }) else { return begin(self, tell) }
        return await handed.begin(on: actor) ?? NotificationToken()
    }
}
