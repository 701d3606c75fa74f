import HoldfastQuery
import HoldfastRows

/// A condition that is asked of objects as they were at one version. One thread at a time uses it.
final class FormerTest {
    private let condition: FormerCondition
    private var matcher: Matcher?

    init(_ condition: FormerCondition) { self.condition = condition }

    /// Whether an object satisfied the condition; nil where that is not known.
    ///
    /// - `source`: The same for each object.
    func holds(
        for object: FormerObjects.Found, _ key: UInt64, in source: some FormerSource
    ) -> Bool? {
        guard object.knows(condition.own), source.budget.spend() else { return nil }
        source.begin(reading: condition.reads)
        let (matches, nextVersion) = source.noting {
            let matcher = matcher ?? condition.predicate.makeMatcher(source.schema, source: source)
            self.matcher = matcher
            return matcher.matches(row: object.row, key: key, source: source)
        }
        let isKnown = !source.isUndecided && source.budget.failure == nil
        // It remembers what it found of targets, and not when they are others.
        if !isKnown || nextVersion < .max { matcher = nil }
        return isKnown ? matches : nil
    }
}
