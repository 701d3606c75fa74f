import HoldfastRows

/// The demand of a predicate on one property, in the terms of an index of it.
package struct IndexConstraint: Hashable, Sendable {
    /// The property, by position in its class: a single plain value.
    package var member: Int
    /// The ranges of the property's keys of all matches: in order, disjoint; none when nothing matches.
    package var ranges: [OrderedKeyRange]
    /// The positions of those ``Predicate/conjuncts`` of which the ranges say everything.
    package var covered: [Int] = []
    /// Whether those are all, so that every object within the ranges matches.
    package var isExact: Bool

    /// Whether the ranges leave out more than null and single values.
    package var isSelective: Bool {
        guard let first = ranges.first, let last = ranges.last else { return true }
        return OrderedKeyRange.notNull.lower.lexicographicallyPrecedes(first.lower)
            || last.upper.lexicographicallyPrecedes(OrderedKeyRange.notNull.upper)
    }
}
