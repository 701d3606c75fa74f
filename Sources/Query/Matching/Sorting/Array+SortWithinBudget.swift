import HoldfastRows

extension Array {
    @usableFromInline
    struct Failure: Error {
        @usableFromInline init() {}
    }

    /// The elements in order; nil once the budget has failed, of which each comparison is a step.
    @inlinable
    public func sorted(
        within budget: Budget, by isBefore: (Element, Element) -> Bool
    ) -> [Element]? {
        try? sorted { a, b in
            guard budget.spend() else { throw Failure() }
            return isBefore(a, b)
        }
    }
}
