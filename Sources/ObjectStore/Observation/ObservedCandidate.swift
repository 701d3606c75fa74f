import Rows

/// An object that changes may concern, seen by an ``ObservedQuery``.
package struct ObservedCandidate: Sendable {
    /// Which object.
    package let identity: ObjectIdentity
    /// The properties that changed, or through which something changed.
    package internal(set) var members: MemberSet
    /// What became of it; nil for one that is reached along links and did not change itself.
    package let change: FoldedChanges.Change?
    /// Whether the query reaches something else that changed.
    package internal(set) var isReached: Bool
    /// The last version of the changes.
    let through: UInt64

    /// What happened to it, in the words of the query.
    func event(_ kind: QueryEvent.Kind) -> QueryEvent {
        QueryEvent(
            kind: kind, identity: identity, members: members, primaryKey: change?.primaryKey ?? [],
            version: change?.version ?? through)
    }
}
