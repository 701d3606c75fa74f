import Dispatch

/// The begin of an observation in another realm of the store, on its way to the queue or actor of that realm.
private struct ActorObservation: @unchecked Sendable {
    // Unchecked: the block is called by the queue or actor that it is handed to alone.

    let configuration: Realm.Configuration
    let address: _Address
    /// The commit that the realm that observes has seen; the other realm's is not older.
    let commit: UInt64
    /// Observes what was found in the other realm; nil where it is something else.
    let begin: (Any) -> NotificationToken?

    /// Begins in the realm of the calling queue or actor; nil where it can't be opened, and where what is observed is gone.
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
    /// Hands over the observing of the same thing, which ends the process where it can't be observed here; nil for what is not managed.
    private func handedOver(_ begin: @escaping (Self) -> NotificationToken) -> ActorObservation? {
        guard let core = realm?.core else { return nil }
        Observation.requireObservable(core)
        return ActorObservation(
            configuration: core.configuration, address: _makeAddress(), commit: core.commitNumber
        ) { ($0 as? Self).map(begin) }
    }

    /// Observes the same thing in the realm of a serial queue, which follows commits by itself.
    ///
    /// - `begin`: Observes it there. For what is not managed it is called at once, for its faults.
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

    /// Observes the same thing in the realm of an actor, which follows commits by itself.
    ///
    /// - `begin`: Observes it there, with a block that calls the program's on the actor.
    func observed<A: Actor, Change>(
        on actor: A, isolation: isolated (any Actor)?,
        _ block: @escaping @Sendable (isolated A, Change) -> Void,
        _ begin: @escaping (Self, @escaping (Change) -> Void) -> NotificationToken
    ) async -> NotificationToken {
        // As a rule it is the actor that keeps the token, and so all of this.
        let tell = { [weak actor] (change: Change) in
            nonisolated(unsafe) let change = change
            actor?.assumeIsolated { block($0, change) }
        }
        guard let handed = handedOver({ begin($0, tell) }) else { return begin(self, tell) }
        return await handed.begin(on: actor) ?? NotificationToken()
    }
}
