import HoldfastRows

/// An object that changes may concern, seen by an ``ObservedQuery``.
package struct ObservedCandidate: Sendable {
    /// Which object.
    package let identity: ObjectIdentity
    /// Through what it is reached from others that changed.
    var reach = ReachedObjects.Reach()
    /// Its own change; nil for an object that only depends on others that changed.
    package let change: FoldedChanges.Change?
    /// Where its own change stands in ``FoldedChanges/order``; nil without one.
    package let position: Int?
    /// The last version of the changes.
    let through: UInt64
    /// Whether they are more versions than that one.
    let isOfSeveralVersions: Bool

    /// Makes a candidate that is reached through no other object.
    ///
    /// - Parameters:
    ///   - identity: Which object.
    ///   - change: Its own one of the changes; nil for none.
    ///   - position: Where that stands; nil for none, and where nobody asks.
    ///   - changes: All of them.
    init(
        identity: ObjectIdentity, change: FoldedChanges.Change?, position: Int?,
        of changes: FoldedChanges
    ) {
        (self.identity, self.change, self.position) = (identity, change, position)
        (through, isOfSeveralVersions) = (changes.through, changes.isOfSeveralVersions)
    }

    /// The properties that changed, or through which something changed.
    package var members: MemberSet {
        change?.members.union(reach.members) ?? reach.members
    }

    /// Whether the query reads something of other objects that changed.
    package var dependsOnChange: Bool { reach.isOfFilter || reach.isOfShown }

    /// Makes the event of it, in the words of the query.
    func event(_ kind: QueryEvent.Kind) -> QueryEvent {
        QueryEvent(
            kind: kind, identity: identity, members: members, primaryKey: change?.primaryKey ?? [],
            version: change?.version ?? through)
    }
}
