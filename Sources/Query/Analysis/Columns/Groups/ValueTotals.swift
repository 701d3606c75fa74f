import HoldfastRows

/// Totals of one kind for the values of each group: they take batches of values alone. One thread at a time uses them.
protocol ValueTotals: AnyObject {
    /// Bytes of memory that the groups take.
    var byteCount: Int { get }

    /// Makes totals of the same kind that have seen nothing, for another thread.
    func makePart() -> Self

    /// Makes room for groups.
    func grow(to groupCount: Int)

    /// Adds the values of a batch without nulls and exceptions.
    ///
    /// - `groups`: The group of each value; nil where all are of the first.
    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?)

    /// Adds the groups of a part to the groups that `groups` names; one that is ``Aggregation/dropped`` is left out.
    func add(_ part: Self, to groups: [UInt32], within budget: Budget)

    /// Makes ready for ``result(_:of:)``, when all values were added.
    ///
    /// - `byteCountMax`: The additional memory for it.
    /// - Returns: False when there is too little memory or time.
    func settle(byteCountMax: Int, within budget: Budget) -> Bool

    /// The result of an operation over a group's values.
    func result(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState.Result
}

extension ValueTotals {
    func settle(byteCountMax: Int, within budget: Budget) -> Bool { true }

    /// Adds the groups of totals of the same values. Where rows keep values as they are stored, columns may have them as numbers.
    func add(any part: any ValueTotals, to groups: [UInt32], within budget: Budget) {
        if let part = part as? Self {
            add(part, to: groups, within: budget)
        } else if let own = self as? StoredTotals {
            own.add(resultsOf: part, to: groups, within: budget)
        }
    }
}
