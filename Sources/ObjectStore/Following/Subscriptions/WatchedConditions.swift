import HoldfastQuery
import HoldfastRows

/// The conditions of a filter and its followers on the objects that set off a watch, ready to be asked in steps. On the feed's thread.
///
/// Of a thousand people whose lists change when they join one, a change of its members concerns the one who joins: what the others have asked of
/// it says the same before and after.
struct WatchedConditions {
    /// Nil where any change may matter.
    private let tests: [(matcher: Matcher, isOfSeen: Bool)]?
    private let sight: Sight?
    private let schema: RowSchema

    /// - `parts`: Those of each follower, see ``ObservedQuery/conditions(of:)``.
    init(_ parts: [(seen: [Predicate], stored: Set<Predicate>)?], _ query: ObservedQuery) {
        sight = query.sight
        schema = query.schema
        var seen: Set<Predicate> = []
        var stored: Set<Predicate> = []
        for part in parts {
            guard let part else {
                tests = nil
                return
            }
            seen.formUnion(part.seen)
            stored.formUnion(part.stored)
        }
        if sight == nil {
            stored.formUnion(seen)
            seen = []
        }
        tests =
            stored.map { ($0.makeMatcher(query.schema), false) }
            + seen.map { ($0.makeMatcher(query.schema), true) }
    }

    /// Whether the outcome of a condition for an object differs between the states of a step, or is not known.
    func mayDiffer(_ identity: ObjectIdentity, _ step: ChangeStep) -> Bool {
        guard let tests else { return true }
        if tests.isEmpty { return false }
        let object = step.object(identity)
        let shown = tests.contains(where: \.isOfSeen) ? step.shown(object, by: sight) : nil
        defer { shown?.step.releaseCopies() }
        return tests.contains { test in
            let (states, object) = test.isOfSeen ? shown ?? (step, object) : (step, object)
            func outcome(_ row: RowView?, _ view: ReadTransaction) -> Bool? {
                test.matcher.limit(by: view.budget)
                return row.map {
                    test.matcher.matches(row: $0, key: identity.key, source: view)
                }
            }
            return outcome(object.before, states.before) != outcome(object.after, states.after)
        } || step.isLate
    }
}
