import ObjectModel
import Rows

/// Sums and extremes of ints and dates.
final class NumberAccumulator: ColumnAccumulator {
    private struct Group {
        var count = 0
        var sum: Int128 = 0
        var least = Int64.max
        var greatest = Int64.min
    }

    private var groups: [Group] = []
    private let values = UnsafeMutablePointer<Int64>.allocate(capacity: ColumnBatch.countMax)

    deinit { values.deallocate() }

    override func makePart() -> ColumnAccumulator { NumberAccumulator(reference, wishes) }

    override var byteCount: Int { groups.count * MemoryLayout<Group>.stride }

    override func grow(to groupCount: Int) {
        while groups.count < groupCount { groups.append(Group()) }
    }

    override func add(
        _ chunk: ColumnChunk, _ batch: ColumnBatch, _ codes: UnsafePointer<UInt32>?
    ) {
        guard let chunk = chunk as? NumberChunk else { return }
        chunk.read(batch.positions, into: values)
        guard let codes else { return add(batch.positions.count) }
        let wantsSum = wishes.contains(.sum)
        let wantsExtremes = wishes.contains(.extremes)
        groups.withUnsafeMutableBufferPointer { groups in
            for index in batch.positions.indices {
                let group = Int(codes[index])
                let value = values[index]
                groups[group].count += 1
                if wantsSum { groups[group].sum += Int128(value) }
                if wantsExtremes {
                    groups[group].least = min(groups[group].least, value)
                    groups[group].greatest = max(groups[group].greatest, value)
                }
            }
        }
    }

    /// Adds a value so many times.
    func add(_ value: Int64, _ count: Int, to group: Int) {
        groups[group].count += count
        groups[group].sum += Int128(value) * Int128(count)
        groups[group].least = min(groups[group].least, value)
        groups[group].greatest = max(groups[group].greatest, value)
    }

    /// Adds the first values to the first group.
    private func add(_ count: Int) {
        var group = groups[0]
        group.count += count
        for index in 0..<count {
            let value = values[index]
            group.sum += Int128(value)
            group.least = min(group.least, value)
            group.greatest = max(group.greatest, value)
        }
        groups[0] = group
    }

    override func add(_ part: ColumnAccumulator, to codes: [UInt32]) {
        guard let part = part as? NumberAccumulator else { return }
        for (other, code) in zip(part.groups, codes) {
            var group = groups[Int(code)]
            group.count += other.count
            group.sum += other.sum
            group.least = min(group.least, other.least)
            group.greatest = max(group.greatest, other.greatest)
            groups[Int(code)] = group
        }
    }

    override func calculation(
        _ function: AggregateFunction, _ storage: ElementStorage, of group: Int
    ) -> AggregateCalculation {
        AggregateCalculation(
            function, storage, count: groups[group].count, ints: groups[group].sum)
    }

    override func best(
        _ function: AggregateFunction, _ storage: ElementStorage, of group: Int
    ) -> AggregateState? {
        let group = groups[group]
        if group.count == 0 { return nil }
        let best = function == .min ? group.least : group.greatest
        guard storage == .date else { return AggregateState(function, storage, best: best) }
        let time = ColumnNumber.timestamp(best)
        return AggregateState(function, storage, best: (time.seconds, time.nanoseconds))
    }
}
