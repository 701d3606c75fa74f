import HoldfastQuery
import HoldfastRows

/// The objects of a query that changes of other objects concern.
struct ReachedObjects {
    /// Through what an object is reached.
    struct Reach {
        /// The properties with which paths from it begin.
        private(set) var members = MemberSet()
        /// Whether the filter reads something of other objects that changed.
        private(set) var isOfFilter = false
        /// Whether the shown part does.
        private(set) var isOfShown = false
        /// Whether it is known that the followers saw some of that, or see it.
        private(set) var isSure = false

        /// Notes that a path was walked back to it, which begins with a property.
        mutating func note(_ member: Int?, isOfFilter: Bool, isSure: Bool = true) {
            if let member { members.insert(member) }
            if isOfFilter { self.isOfFilter = true } else { isOfShown = true }
            if isSure { self.isSure = true }
        }
    }

    let query: ObservedQuery
    let changes: FoldedChanges
    /// Objects that have not changed since are left out.
    let version: UInt64
    private let dependentCountMax: Int
    /// All, by key.
    private(set) var all: [UInt64: Reach] = [:]
    /// The keys of those that did not change themselves.
    private(set) var dependents: [UInt64] = []
    /// Whether there are more than were asked for.
    private(set) var isCut = false

    /// Walks back along what the query reads.
    ///
    /// For followers with a sight it goes along what they saw since, or see now. A change concerns an object where what changed was shown behind
    /// it: what only hidden links lead to, or what happened to hidden objects, does not. A rule reads what is hidden, too: it concerns who saw an
    /// object of which it says otherwise than before.
    ///
    /// - `former`: What they saw; nil where everything is walked along.
    /// - `version`: Leaves out what has not changed since.
    /// - `dependentCountMax`: The most objects that did not change themselves; where there are more, one more is found. With 0 none
    ///   are looked for.
    init(
        of query: ObservedQuery, seenBy former: FormerResults?, _ changes: FoldedChanges,
        since version: UInt64, in bare: StoreView, dependentCountMax: Int
    ) {
        (self.query, self.changes, self.version) = (query, changes, version)
        self.dependentCountMax = dependentCountMax
        guard dependentCountMax > 0, !changes.isEmpty, query.dependsOnOthers,
            let root = query.classIndex
        else { return }
        guard let former else {
            let origins = PathOrigins(rootClass: root, transaction: bare)
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
        let ways = SeenWays(
            former, changes, since: version, in: bare, judgedCountMax: dependentCountMax)
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

    /// Notes that an object is reached; false when there are too many.
    private mutating func note(
        _ key: UInt64, by member: Int?, isOfFilter: Bool, isSure: Bool
    ) -> Bool {
        let identity = ObjectIdentity(classIndex: query.classIndex ?? 0, key: key)
        if all[key] == nil, !(changes[identity].map { $0.version > version } ?? false) {
            dependents.append(key)
        }
        all[key, default: Reach()].note(member, isOfFilter: isOfFilter, isSure: isSure)
        return dependents.count <= dependentCountMax
    }
}
