import HoldfastQuery
import HoldfastRows

/// The objects that changes may concern, one after the other: those that changed themselves in the order of the
/// change log, then those that are only reached along links in the order of their keys.
///
/// Many streams share the changes; of its own it has what is reached along links alone.
package struct ObservedCandidates: Sequence, IteratorProtocol, Sendable {
    private let reached: ReachedObjects
    private var position = 0
    /// The positions of those that may match, in order; nil where each may.
    private var mayMatch: ArraySlice<Int>?
    /// The keys of those that did not change themselves, in order.
    private var dependents: ArraySlice<UInt64>

    /// - `reached`: Those that are reached along links, of which changes.
    init(_ reached: ReachedObjects) {
        self.reached = reached
        dependents = reached.dependents.sorted()[...]
    }

    /// As many or more than are left; `.max` where there are more than were asked for.
    package var countMax: Int {
        reached.isCut ? .max : reached.changes.order.count - position + dependents.count
    }
    /// How many are reached along links that the filter follows.
    package var filterReachedCount: Int { reached.all.values.count { $0.isOfFilter } }

    /// Whether none of them is reached along links.
    var areOwn: Bool { reached.all.isEmpty }

    /// Whether only some of them may match.
    var isNarrowed: Bool { mayMatch != nil }

    /// Notes which of those that changed themselves may match: those among some keys, which may be of others too.
    mutating func narrow(to keys: [UInt64], of classIndex: Int) {
        mayMatch =
            keys.compactMap {
                reached.changes.position(of: ObjectIdentity(classIndex: classIndex, key: $0))
            }.sorted()[...]
    }

    /// Takes the next objects that do not match and surely leave. Cost: a few nanoseconds each, without a look at what is stored.
    ///
    /// - Parameters:
    ///   - reads: The properties that each part of the condition reads, see ``FormerResults/ownReads``.
    ///   - countMax: So many at once.
    /// - Returns: Their positions, which follow each other; nil where the next has to be asked for, or none is left.
    mutating func takeDepartures(_ reads: [MemberSet], countMax: Int) -> Range<Int>? {
        guard let left = mayMatch?.drop(while: { [position] in $0 < position }) else { return nil }
        mayMatch = left
        let end = Swift.min(left.first ?? .max, reached.changes.order.count)
        let own = reached.query.filter.ownMembers
        let (classIndex, version) = (reached.query.classIndex, reached.version)
        // Many threads read the changes: each takes a reference to them for many objects, not for each.
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
