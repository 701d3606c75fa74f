/// An actor that a realm belongs to. It is not kept: as a rule it is the actor that keeps the realm.
final class HeldActor: Sendable {
    let identity: ObjectIdentifier
    /// The actor; nil once it is gone.
    weak let actor: (any Actor)?

    init(_ actor: any Actor) {
        identity = ObjectIdentifier(actor)
        self.actor = actor
    }
}
