import HoldfastRows

/// An object that changes may concern, seen by an ``ObservedQuery``.
package struct ObservedCandidate: Sendable {
    /// Which object.
    package let identity: ObjectIdentity
    /// The properties through which something changed.
    var reachedMembers = MemberSet()
    /// Its own change; nil for an object that only depends on others that changed.
    package let change: FoldedChanges.Change?
    /// Where its own change stands in ``FoldedChanges/order``; nil without one.
    package let position: Int?
    /// Whether the filter reads something of other objects that changed.
    package internal(set) var filterDependsOnChange = false
    /// Whether the shown part reads something of other objects that changed.
    package internal(set) var shownDependsOnChange = false
    /// Whether it is known that the followers saw some of that, or see it.
    var isReachedForSure = true
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

    /// Notes that a watch was walked back to it.
    mutating func reach(by watch: Watch, isOfFilter: Bool) {
        if isOfFilter { filterDependsOnChange = true } else { shownDependsOnChange = true }
        if let member = watch.firstMember { reachedMembers.insert(member) }
    }

    /// The properties that changed, or through which something changed.
    package var members: MemberSet {
        change?.members.union(reachedMembers) ?? reachedMembers
    }

    /// Whether the query reads something of other objects that changed.
    package var dependsOnChange: Bool { filterDependsOnChange || shownDependsOnChange }

    /// Makes the event of it, in the words of the query.
    func event(_ kind: QueryEvent.Kind) -> QueryEvent {
        QueryEvent(
            kind: kind, identity: identity, members: members, primaryKey: change?.primaryKey ?? [],
            version: change?.version ?? through)
    }
}
