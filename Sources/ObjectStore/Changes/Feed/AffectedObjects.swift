import HoldfastQuery
import HoldfastRows

/// The objects of a query that changes of other objects concern.
struct AffectedObjects {
    /// The paths through which an object is reached.
    struct AffectedPaths {
        /// The first properties of its paths.
        private(set) var members = MemberSet()
        /// Whether the filter reads other objects that changed.
        private(set) var isOfFilter = false
        /// Whether the shown values read such objects.
        private(set) var isOfShown = false
        /// Whether it is known that the followers saw some of these changes, or see them.
        private(set) var isSure = false

        /// Notes that a path was walked back to it. The path begins with a property.
        mutating func note(_ member: Int?, isOfFilter: Bool, isSure: Bool = true) {
            if let member { members.insert(member) }
            if isOfFilter { self.isOfFilter = true } else { isOfShown = true }
            if isSure { self.isSure = true }
        }
    }

    let query: ObservedQuery
    let changes: FoldedChanges
    /// Objects that have not changed after this version are left out.
    let version: UInt64
    private let dependentCountMax: Int
    /// All reached objects, by key.
    private(set) var all: [UInt64: AffectedPaths] = [:]
    /// The keys of the reached objects that did not change themselves.
    private(set) var dependents: [UInt64] = []
    /// Whether there are more than were asked for.
    private(set) var isCut = false

    /// Walks back along the paths that the query reads.
    ///
    /// For followers with a visibility it follows only objects and links that they saw since, or see now. A change concerns an
    /// object if the changed values were shown at the end of its path. Changes of hidden objects, or beyond hidden links, do not
    /// concern it. Rules read hidden values, too: a change concerns followers that saw an object which rules now judge
    /// differently.
    ///
    /// - `former`: The results that the followers saw; nil to walk along everything.
    /// - `version`: Objects that have not changed after this version are left out.
    /// - `dependentCountMax`: The maximum number of objects that did not change themselves. If there are more, one more is found.
    ///   With 0 no such objects are looked for.
    init(
        of query: ObservedQuery, seenBy former: PastResults?, _ changes: FoldedChanges,
        since version: UInt64, in unrestricted: StoreView, dependentCountMax: Int
    ) {
        (self.query, self.changes, self.version) = (query, changes, version)
        self.dependentCountMax = dependentCountMax
        guard dependentCountMax > 0, !changes.isEmpty, query.dependsOnOthers,
            let root = query.classIndex
        else { return }
        guard let former else {
            let origins = ReversePath(rootClass: root, transaction: unrestricted)
            isCut = ![(query.filter, true), (query.shown, false)].allSatisfy { plan, isOfFilter in
                plan.watches.allSatisfy { watch in
                    changes.forEachTrigger(of: watch, since: version, query.schema) { identity in
                        origins.forEach(to: identity, along: watch.steps) {
                            note($0, by: watch.firstMember, isOfFilter: isOfFilter, isSure: true)
                        }
                    }
                }
            }
            return
        }
        let ways = VisiblePaths(
            former, changes, since: version, in: unrestricted, judgedCountMax: dependentCountMax)
        let areAll =
            [(query.readByFilter, true), (query.readByShown, false)]
            .allSatisfy { plan, isOfFilter in
                plan.watches.allSatisfy { watch in
                    ways.forEachTrigger(of: watch) { identity, isSure in
                        ways.forEach(from: root, to: identity, along: watch.steps, isSure) {
                            note($0, by: watch.firstMember, isOfFilter: isOfFilter, isSure: $1)
                        }
                    }
                }
            }
            && [(query.deciding, true), (query.displaying, false)]
                .allSatisfy { admissions, isOfFilter in
                    admissions.allSatisfy { admission in
                        ways.forEachJudgedOtherwise(by: admission) { identity, isSure in
                            ways.forEach(
                                from: root, to: identity, along: admission.steps, isSure
                            ) {
                                note(
                                    $0, by: admission.firstMember, isOfFilter: isOfFilter,
                                    isSure: $1)
                            }
                        }
                    }
                }
        isCut = !areAll
    }

    /// Notes that an object is reached; false if there are too many.
    private mutating func note(
        _ key: UInt64, by member: Int?, isOfFilter: Bool, isSure: Bool
    ) -> Bool {
        let identity = ObjectIdentity(classIndex: query.classIndex ?? 0, key: key)
        if all[key] == nil, !(changes[identity].map { $0.version > version } ?? false) {
            dependents.append(key)
        }
        all[key, default: AffectedPaths()].note(member, isOfFilter: isOfFilter, isSure: isSure)
        return dependents.count <= dependentCountMax
    }
}
