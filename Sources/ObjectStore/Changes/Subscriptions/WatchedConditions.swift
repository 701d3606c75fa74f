import HoldfastQuery
import HoldfastRows

/// The conditions that rules have on the objects that set off a watch, ready to be asked in steps. On the feed's thread.
///
/// Of a thousand people who share a list, the change of its members by which one joins concerns that one: the rules of the others say the same
/// of the list before and after.
struct WatchedConditions {
    /// Nil where any change may matter.
    private let matchers: [Matcher]?

    /// - `parts`: Those of each follower, see ``ObservedQuery/conditions(of:)``.
    init(_ parts: [Set<Predicate>?], _ schema: RowSchema) {
        matchers =
            parts.contains(nil)
            ? nil : Set(parts.flatMap { $0 ?? [] }).map { $0.makeMatcher(schema) }
    }

    /// Whether the outcome of a condition for an object differs between the states of a step, or is not known.
    func mayDiffer(_ identity: ObjectIdentity, _ step: ChangeStep) -> Bool {
        guard let matchers else { return true }
        let object = step.object(identity)
        func outcome(_ matcher: Matcher, _ row: RowView?, _ view: ReadTransaction) -> Bool? {
            matcher.limit(by: view.budget)
            return row.map { matcher.matches(row: $0, key: identity.key, source: view) }
        }
        return matchers.contains {
            outcome($0, object.before, step.before) != outcome($0, object.after, step.after)
        } || step.isLate
    }
}
