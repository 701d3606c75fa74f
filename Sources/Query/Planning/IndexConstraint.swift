import Rows

/// What a predicate demands of one property, in the terms of an index of it.
package struct IndexConstraint: Hashable, Sendable {
    /// The class, by position in the schema.
    package var classIndex: Int
    /// The property, by position in its class: a single plain value.
    package var member: Int
    /// Where the property's keys of all matches lie: in order, disjoint; none when nothing matches.
    package var ranges: [OrderedKeyRange]
    /// What the objects within the ranges have to satisfy besides; nil when every one matches.
    package var residual: Predicate?
    /// Which of ``Predicate/conjuncts`` the ranges say everything of, by position; the others are the
    /// residual.
    package var covered: [Int] = []

    /// Whether every object within the ranges matches.
    package var isExact: Bool { residual == nil }

    /// Whether the ranges are single values only.
    package var holdsSingleValues: Bool {
        ranges.allSatisfy(\.isSingleValue)
    }

    /// The keys of the values, when the ranges are single values only.
    package var values: [OrderedKey]? {
        guard holdsSingleValues else { return nil }
        return ranges.map { OrderedKey(bytes: $0.lower) }
    }
}
