import HoldfastObjectModel
import HoldfastRows

/// Sums and extremes of ints, or of dates as columns have them.
final class IntTotals: ValueTotals {
    private struct Group {
        var count = 0
        var sum: Int128 = 0
        var least = Int64.max
        var greatest = Int64.min

        @inline(__always)
        mutating func add(_ value: Int64, hasExtremes: Bool) {
            count += 1
            sum += Int128(value)
            if hasExtremes { meet(value, value) }
        }

        @inline(__always)
        mutating func meet(_ least: Int64, _ greatest: Int64) {
            self.least = min(self.least, least)
            self.greatest = max(self.greatest, greatest)
        }
    }

    private let storage: ElementStorage
    private let hasExtremes: Bool
    private var groups: [Group] = []
    private let values = BatchRoom<Int64>()

    /// - `hasExtremes`: Whether the least and the greatest are asked for.
    init(_ storage: ElementStorage, hasExtremes: Bool) {
        (self.storage, self.hasExtremes) = (storage, hasExtremes)
    }

    func makePart() -> IntTotals { IntTotals(storage, hasExtremes: hasExtremes) }

    var byteCount: Int { groups.count * MemoryLayout<Group>.stride }

    func grow(to groupCount: Int) {
        while groups.count < groupCount { groups.append(Group()) }
    }

    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ codes: UnsafePointer<UInt32>?) {
        guard let chunk = chunk as? NumberChunk else { return }
        chunk.read(batch.positions, into: values.start)
        let (values, hasExtremes) = (
            UnsafeBufferPointer(start: values.start, count: batch.positions.count), hasExtremes
        )
        groups.withUnsafeMutableBufferPointer { groups in
            if let codes {
                for index in values.indices {
                    groups[Int(codes[index])].add(values[index], hasExtremes: hasExtremes)
                }
                return
            }
            // In registers.
            var own = groups[0]
            for value in values { own.add(value, hasExtremes: hasExtremes) }
            groups[0] = own
        }
    }

    func add(_ part: IntTotals, to codes: [UInt32], within budget: Budget) {
        for (other, code) in zip(part.groups, codes)
        where code != Aggregation.dropped && budget.spend() {
            groups[Int(code)].count += other.count
            groups[Int(code)].sum += other.sum
            groups[Int(code)].meet(other.least, other.greatest)
        }
    }

    func result(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState.Result {
        guard case .values(let function, _) = kind else { return .none }
        let group = groups[group]
        switch function {
        case .sum, .average:
            return AggregateCalculation(function, storage, count: group.count, ints: group.sum)
                .result
        case .min, .max:
            if group.count == 0 { return .none }
            let best = function == .min ? group.least : group.greatest
            return ColumnNumber.withStored(best, storage) {
                .stored(Array(UnsafeRawBufferPointer(start: $0, count: $1)), storage)
            }
        }
    }
}
