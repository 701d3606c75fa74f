import HoldfastQuery
import HoldfastRows

/// The objects that changes may concern, one after the other: those that changed themselves in the order of the
/// change log, then those that are only reached along links in the order of their keys.
///
/// Many streams share the changes; of its own it has what is reached along links alone.
package struct ObservedCandidates: Sequence, IteratorProtocol, Sendable {
    /// Through what an object is reached.
    private struct Reach {
        var members = MemberSet()
        var isOfFilter = false
        var isOfShown = false
        var isSeen = false
    }

    private let query: ObservedQuery
    private let changes: FoldedChanges
    /// Objects that have not changed since are left out.
    private let version: UInt64
    private var position = 0
    private var reached: [UInt64: Reach] = [:]
    /// The keys of those that did not change themselves, in order.
    private var dependents: ArraySlice<UInt64> = []

    init(
        _ query: ObservedQuery, _ changes: FoldedChanges, since version: UInt64,
        in transaction: ReadTransaction, _ dependentCountMax: Int, tellsSeen: Bool
    ) {
        self.query = query
        self.changes = changes
        self.version = version
        guard dependentCountMax > 0, query.dependsOnOthers, let classIndex = query.classIndex
        else { return }
        let origins = PathOrigins(rootClass: classIndex, transaction: transaction.bare)
        var reached: [UInt64: Reach] = [:]
        var dependents: [UInt64] = []
        let seenOrigins = PathOrigins(rootClass: classIndex, transaction: transaction)
        func reach(_ watch: Watch, isOfFilter: Bool) -> Bool {
            changes.forEachTrigger(of: watch, since: version, query.schema) { identity in
                let goesOn = origins.forEach(to: identity, along: watch.steps) { key in
                    if reached[key] == nil, !isOwn(key, classIndex) { dependents.append(key) }
                    if let member = watch.firstMember {
                        reached[key, default: Reach()].members.insert(member)
                    }
                    if isOfFilter {
                        reached[key, default: Reach()].isOfFilter = true
                    } else {
                        reached[key, default: Reach()].isOfShown = true
                    }
                    return dependents.count <= dependentCountMax
                }
                if goesOn, tellsSeen, !isOfFilter, transaction.sees(watch, of: identity) {
                    _ = seenOrigins.forEach(to: identity, along: watch.steps) { key in
                        reached[key]?.isSeen = true
                        return true
                    }
                }
                return goesOn
            }
        }
        _ =
            query.filter.watches.allSatisfy { reach($0, isOfFilter: true) }
            && query.shown.watches.allSatisfy { reach($0, isOfFilter: false) }
        dependents.sort()
        self.reached = reached
        self.dependents = dependents[...]
    }

    private func isOwn(_ key: UInt64, _ classIndex: Int) -> Bool {
        let identity = ObjectIdentity(classIndex: classIndex, key: key)
        return changes[identity].map { $0.version > version } ?? false
    }

    /// As many or more than are left.
    package var countMax: Int { changes.order.count - position + dependents.count }
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
            identity: identity, members: change?.members ?? MemberSet(), change: change,
            position: position, through: changes.through)
        if !reached.isEmpty, let reach = reached[identity.key] {
            candidate.members.formUnion(reach.members)
            candidate.filterDependsOnChange = reach.isOfFilter
            candidate.shownDependsOnChange = reach.isOfShown
            candidate.shownChangeIsSeen = reach.isSeen
        }
        return candidate
    }
}

extension ReadTransaction {
    /// Whether the view shows now what set off a watch.
    fileprivate func sees(_ watch: Watch, of identity: ObjectIdentity) -> Bool {
        guard let row = row(classIndex: identity.classIndex, key: identity.key) else {
            return false
        }
        switch watch.trigger {
        case .property(let classIndex, let member):
            return classIndex != identity.classIndex
                || !rows.classes[classIndex].hides(member, in: row)
        case .loss(_, let number):
            // Who held the link may be hidden.
            guard let origin = rows.memberByNumber[number] else { return false }
            return rows.classes[origin.classIndex].definition.kind == .object
                && !(sight?.alters(origin.member, of: origin.classIndex) ?? false)
        }
    }
}
