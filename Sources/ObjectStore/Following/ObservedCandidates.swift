import HoldfastQuery
import HoldfastRows

/// The objects that changes may concern, one after the other: those that changed themselves in the order of the
/// change log, then those that are only reached along links in the order of their keys.
///
/// Many streams share the changes; of its own it has what is reached along links alone.
package struct ObservedCandidates: Sequence, IteratorProtocol, Sendable {
    private let query: ObservedQuery
    private let changes: FoldedChanges
    /// Objects that have not changed since are left out.
    private let version: UInt64
    private let isCut: Bool
    private var position = 0
    private var reached: [UInt64: ReachedObjects.Reach] = [:]
    /// The keys of those that did not change themselves, in order.
    private var dependents: ArraySlice<UInt64> = []

    /// - `reached`: Those that are reached along links.
    init(
        _ query: ObservedQuery, _ changes: FoldedChanges, since version: UInt64,
        _ reached: ReachedObjects
    ) {
        self.query = query
        self.changes = changes
        self.version = version
        self.reached = reached.all
        isCut = reached.isCut
        dependents = reached.dependents.sorted()[...]
    }

    /// As many or more than are left; `.max` where there are more than were asked for.
    package var countMax: Int {
        isCut ? .max : changes.order.count - position + dependents.count
    }
    /// How many are reached along links that the filter follows.
    package var filterReachedCount: Int { reached.values.count { $0.isOfFilter } }

    /// The next object; nil at the end.
    package mutating func next() -> ObservedCandidate? {
        while position < changes.order.count {
            let (identity, change) = (changes.order[position], changes.outcomes[position])
            position += 1
            guard query.target.mayBe(identity), change.version > version,
                query.target != .store || !query.schema.classes[identity.classIndex].isAsymmetric
            else { continue }
            let candidate = candidate(identity, change, at: position - 1)
            if !query.isUncounted(candidate) { return candidate }
        }
        guard let key = dependents.popFirst(), let classIndex = query.classIndex else { return nil }
        return candidate(ObjectIdentity(classIndex: classIndex, key: key), nil, at: nil)
    }

    private func candidate(
        _ identity: ObjectIdentity, _ change: FoldedChanges.Change?, at position: Int?
    ) -> ObservedCandidate {
        var candidate = ObservedCandidate(
            identity: identity, change: change, position: position, of: changes)
        candidate.reach = reached[identity.key] ?? ReachedObjects.Reach()
        return candidate
    }
}
