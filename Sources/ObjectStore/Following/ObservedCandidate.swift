import Rows

/// An object that changes may concern, seen by an ``ObservedQuery``.
package struct ObservedCandidate: Sendable {
    /// Which object.
    package let identity: ObjectIdentity
    /// The properties that changed, or through which something changed.
    package internal(set) var members: MemberSet
    /// Its own change; nil for an object that only depends on others that changed.
    package let change: FoldedChanges.Change?
    /// Whether the query reads something of other objects that changed.
    package internal(set) var dependsOnChange: Bool
    /// The last version of the changes.
    let through: UInt64

    /// What happened to it, in the words of the query.
    func event(_ kind: QueryEvent.Kind) -> QueryEvent {
        QueryEvent(
            kind: kind, identity: identity, members: members, primaryKey: change?.primaryKey ?? [],
            version: change?.version ?? through)
    }
}
