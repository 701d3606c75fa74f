import HoldfastQuery
import HoldfastRows

extension IndexConstraint {
    /// The keys of the values, when the ranges are single values only.
    var values: [OrderedKey]? {
        guard ranges.allSatisfy(\.isSingleValue) else { return nil }
        return ranges.map { OrderedKey(bytes: $0.lower) }
    }

    /// What the objects within the ranges have to satisfy besides; nil when every one matches.
    func residual(of predicate: Predicate) -> Predicate? {
        let parts = predicate.conjuncts.enumerated().filter { !covered.contains($0.offset) }
        return Predicate.conjunction(parts.map(\.element))
    }
}
