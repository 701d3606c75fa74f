import HoldfastRows

/// An object that changes may concern, for an ``ObservedQuery``.
package struct ObservedCandidate: Sendable {
    package let identity: ObjectIdentity
    /// The paths through which other changed objects reach it.
    var reach = AffectedObjects.AffectedPaths()
    /// Its own change; nil for an object that only depends on other changed objects.
    package let change: FoldedChanges.Change?
    /// The position of its own change in ``FoldedChanges/order``; nil without one.
    package let position: Int?
    /// The last version of the changes.
    let through: UInt64
    /// Whether the changes cover more than that version.
    let isOfSeveralVersions: Bool

    /// Makes a candidate that is reached through no other object.
    ///
    /// - Parameters:
    ///   - identity: The object.
    ///   - change: Its own change; nil if it has not changed.
    ///   - position: The position of its change; nil if it has not changed, or if the position is not needed.
    ///   - changes: All changes.
    init(
        identity: ObjectIdentity, change: FoldedChanges.Change?, position: Int?,
        of changes: FoldedChanges
    ) {
        (self.identity, self.change, self.position) = (identity, change, position)
        (through, isOfSeveralVersions) = (changes.through, changes.isOfSeveralVersions)
    }

    /// The properties that changed, or that lead to a changed object.
    package var members: MemberSet { change?.members.union(reach.members) ?? reach.members }

    /// Whether the query reads other objects that changed.
    package var dependsOnChange: Bool { reach.isOfFilter || reach.isOfShown }

    func event(_ kind: QueryEvent.Kind) -> QueryEvent {
        QueryEvent(
            kind: kind, identity: identity, members: members, primaryKey: change?.primaryKey ?? [],
            version: change?.version ?? through)
    }
}
