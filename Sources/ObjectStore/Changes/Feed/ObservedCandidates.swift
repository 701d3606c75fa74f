import HoldfastQuery
import HoldfastRows

/// The objects that changes may concern, one after the other: first the objects that changed themselves, in the order of the
/// change log, then the objects that are only reached along links, in the order of their keys.
///
/// Many streams share the changes. Only the objects reached along links are each stream's own.
package struct ObservedCandidates: Sequence, IteratorProtocol, Sendable {
    private let reached: AffectedObjects
    private var position = 0
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
