import HoldfastRows

/// Counts different values. As for DISTINCT, numbers of all kinds are compared by value; as for aggregates,
/// null and NaN are no values.
final class DistinctTotals: ValueTotals {
    private let coder: DictionaryEncoder
    private let isGrouped: Bool
    /// The groups with the codes of their values, each once; unused where all values are of one group.
    private let pairs = PairTable()
    private var groupCount = 0
    /// How many values each group has.
    private var counts: [Int] = []
    private let codes = BatchRoom<UInt32>()

    /// - `coder`: Gives different values different codes; it is not shared.
    init(_ coder: DictionaryEncoder, isGrouped: Bool) {
        self.coder = coder
        self.isGrouped = isGrouped
    }

    func makePart() -> DistinctTotals { DistinctTotals(coder.makePart(), isGrouped: isGrouped) }

    var byteCount: Int { coder.byteCount + pairs.byteCount + counts.capacity * 8 }

    func grow(to groupCount: Int) { self.groupCount = groupCount }

    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?) {
        coder.encode(chunk, batch.positions, into: codes.start)
        guard isGrouped, let groups else { return }
        pairs.encode(groups, codes.start, batch.positions.count, into: codes.start)
    }

    func add(_ part: DistinctTotals, to groups: [UInt32], within budget: Budget) {
        let count = isGrouped ? part.pairs.count : part.coder.count
        for first in stride(from: 0, to: count, by: ColumnBatch.countMax) {
            let some = first..<min(first + ColumnBatch.countMax, count)
            guard budget.spend(some.count) else { return }
            guard isGrouped else {
                _ = coder.codes(some.map { UInt32($0) }, of: part.coder)
                continue
            }
            // The values of groups that are left out get no codes.
            let met = some.map(part.pairs.pair).filter { groups[$0.group] != Aggregation.dropped }
            let codes = coder.codes(met.map { UInt32($0.code) }, of: part.coder)
            for ((group, _), code) in zip(met, codes) { _ = pairs.number(of: groups[group], code) }
        }
    }

    func settle(byteCountMax: Int, within budget: Budget) -> Bool {
        if groupCount * 8 > byteCountMax { return false }
        counts = [Int](repeating: 0, count: groupCount)
        guard isGrouped else {
            counts[0] = coder.count
            return true
        }
        for index in 0..<pairs.count {
            guard budget.spend() else { return false }
            counts[pairs.pair(index).group] += 1
        }
        return true
    }

    func result(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState.Result {
        Number.int(Int64(counts[group])).stored
    }
}
