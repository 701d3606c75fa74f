import HoldfastQuery
import HoldfastRows

/// The objects that changes may concern, one after the other: first the objects that changed themselves, in the order of the
/// change log, then the objects that are only reached along links, in the order of their keys.
///
/// Many streams share the changes. Only the objects reached along links are each stream's own.
package struct ObservedCandidates: Sequence, IteratorProtocol, Sendable {
    private let reached: AffectedObjects
    private var position = 0
    /// The positions of the objects that may match, in order; nil if each may.
    private var mayMatch: ArraySlice<Int>?
    /// The keys of the objects that did not change themselves, in order.
    private var dependents: ArraySlice<UInt64>

    /// - `reached`: The objects that are reached along links, with the changes that reach them.
    init(_ reached: AffectedObjects) {
        self.reached = reached
        dependents = reached.dependents.sorted()[...]
    }

    /// An upper bound of the number of objects that are left; `.max` if there are more than were asked for.
    package var countMax: Int {
        reached.isCut ? .max : reached.changes.order.count - position + dependents.count
    }
    /// The number of objects that are reached along links that the filter follows.
    package var filterReachedCount: Int { reached.all.values.count { $0.isOfFilter } }

    /// Whether no object is reached along links.
    var areOwn: Bool { reached.all.isEmpty }

    /// Whether only some objects may match.
    var isNarrowed: Bool { mayMatch != nil }

    /// Notes that only objects with some keys may match, among the objects that changed themselves. The keys may include others.
    mutating func narrow(to keys: [UInt64], of classIndex: Int) {
        mayMatch =
            keys.compactMap {
                reached.changes.position(of: ObjectIdentity(classIndex: classIndex, key: $0))
            }.sorted()[...]
    }

    /// Takes the next objects that do not match and surely leave. Cost: a few nanoseconds each, without reading stored objects.
    ///
    /// - Parameters:
    ///   - reads: The properties that each part of the condition reads, see ``PastResults/ownReads``.
    ///   - countMax: The maximum number of objects.
    /// - Returns: Their consecutive positions; nil if the next object has to be asked for, or nothing is left.
    mutating func takeDepartures(_ reads: [MemberSet], countMax: Int) -> Range<Int>? {
        guard let left = mayMatch?.drop(while: { [position] in $0 < position }) else { return nil }
        mayMatch = left
        let end = Swift.min(left.first ?? .max, reached.changes.order.count)
        let own = reached.query.filter.ownMembers
        let (classIndex, version) = (reached.query.classIndex, reached.version)
        // Many threads read the changes. Each takes one reference for many objects, not one for each.
        return reached.changes.order.withUnsafeBufferPointer { order in
            reached.changes.outcomes.withUnsafeBufferPointer { outcomes in
                guard let outcomes = outcomes.baseAddress else { return nil }
                func isConcerned(_ position: Int) -> Bool {
                    let change = outcomes + position
                    return change.pointee.version > version
                        && order[position].classIndex == classIndex
                        && FoldedChanges.Change.mayLeave(
                            change.pointee.kind, change.pointee.members, reading: own)
                }
                func isForgotten(_ position: Int) -> Bool {
                    FoldedChanges.Change.forgets(
                        oneOfEach: reads, (outcomes + position).pointee.forgotten)
                }
                var place = position
                while place < end, !isConcerned(place) { place += 1 }
                let start = place
                let last = Swift.min(end, start + countMax)
                while place < last, isConcerned(place), isForgotten(place) { place += 1 }
                position = place
                return start < place ? start..<place : nil
            }
        }
    }

    /// The next object; nil at the end.
    package mutating func next() -> ObservedCandidate? {
        while position < reached.changes.order.count {
            let identity = reached.changes.order[position]
            let change = reached.changes.outcomes[position]
            position += 1
            guard reached.query.target.mayBe(identity), change.version > reached.version,
                reached.query.target != .store
                    || !reached.query.schema.classes[identity.classIndex].isAsymmetric
            else { continue }
            let candidate = candidate(identity, change, at: position - 1)
            if !reached.query.isUncounted(candidate) { return candidate }
        }
        guard let key = dependents.popFirst(), let classIndex = reached.query.classIndex else {
            return nil
        }
        return candidate(ObjectIdentity(classIndex: classIndex, key: key), nil, at: nil)
    }

    private func candidate(
        _ identity: ObjectIdentity, _ change: FoldedChanges.Change?, at position: Int?
    ) -> ObservedCandidate {
        var candidate = ObservedCandidate(
            identity: identity, change: change, position: position, of: reached.changes)
        if !reached.all.isEmpty, let reach = reached.all[identity.key] { candidate.reach = reach }
        return candidate
    }
}

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
