import Rows

extension Budget {
    /// Spends steps.
    ///
    /// - Throws: ``StoreError`` `.stopped` when the evaluation has to end.
    @inline(__always)
    func require(_ steps: Int = 1) throws(StoreError) {
        if !spend(steps) { try requireNoFailure() }
    }

    /// Throws ``StoreError`` `.stopped` once the budget has failed.
    func requireNoFailure() throws(StoreError) {
        if let failure { throw .stopped(failure) }
    }
}
