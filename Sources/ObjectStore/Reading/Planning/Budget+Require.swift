import HoldfastRows

extension Budget {
    /// Spends steps.
    ///
    /// - Throws: ``StoreError`` `.stopped` when the evaluation has to end.
    @inline(__always)
    func require(_ steps: Int = 1) throws(StoreError) {
        if !spend(steps) { try requireNoFailure() }
    }

    /// Sorts elements; each comparison is a step.
    ///
    /// - Throws: ``StoreError`` `.stopped` when the evaluation has to end.
    func sorted<Element>(
        _ elements: [Element], by isBefore: (Element, Element) -> Bool
    ) throws(StoreError) -> [Element] {
        if let sorted = elements.sorted(within: self, by: isBefore) { return sorted }
        throw .stopped(failure ?? .time)
    }

    /// Throws ``StoreError`` `.stopped` once the budget has failed.
    func requireNoFailure() throws(StoreError) {
        if let failure { throw .stopped(failure) }
    }
}
