import ObjectModel
import Rows

/// Percentiles of ints, doubles and floats.
final class RankedAccumulator: ColumnAccumulator {
    private let isGrouped: Bool
    /// The values as doubles: one behind the other as they come, those of each group together when it is settled.
    private var values: [Double] = []
    /// The group of each value, where there are groups.
    private var groups: [UInt32] = []
    /// Where the values of each group begin and, of the last one, end.
    private var starts: [Int] = []
    private let numbers = UnsafeMutablePointer<Int64>.allocate(capacity: ColumnBatch.countMax)
    private let doubles = UnsafeMutablePointer<Double>.allocate(capacity: ColumnBatch.countMax)

    init(_ reference: ColumnReference, isGrouped: Bool) {
        self.isGrouped = isGrouped
        super.init(reference, [])
    }

    deinit {
        numbers.deallocate()
        doubles.deallocate()
    }

    override func makePart() -> ColumnAccumulator {
        RankedAccumulator(reference, isGrouped: isGrouped)
    }

    override var byteCount: Int {
        values.capacity * 8 + groups.capacity * 4 + starts.capacity * 8
    }

    override func add(
        _ chunk: ColumnChunk, _ batch: ColumnBatch, _ codes: UnsafePointer<UInt32>?
    ) {
        let count = batch.positions.count
        if let chunk = chunk as? NumberChunk {
            chunk.read(batch.positions, into: numbers)
            for index in 0..<count { doubles[index] = Double(numbers[index]) }
        } else if let chunk = chunk as? DoubleChunk {
            for index in 0..<count { doubles[index] = chunk.value(Int(batch.positions[index])) }
        }
        values.append(contentsOf: UnsafeBufferPointer(start: doubles, count: count))
        if let codes { groups.append(contentsOf: UnsafeBufferPointer(start: codes, count: count)) }
    }

    override func add(_ part: ColumnAccumulator, to groups: [UInt32]) {
        guard let part = part as? RankedAccumulator else { return }
        // No more than they take: room for others is of no use any more.
        values.reserveCapacity(values.count + part.values.count)
        values += part.values
        guard isGrouped else { return }
        self.groups.reserveCapacity(self.groups.count + part.groups.count)
        self.groups += part.groups.lazy.map { groups[Int($0)] }
    }

    override var needsAll: Bool { true }

    override func settle(byteCountMax: Int, within budget: Budget) -> Bool {
        guard isGrouped else {
            starts = [0, values.count]
            return budget.spend(values.count)
        }
        let groupCount = Int(groups.max() ?? 0) + 1
        guard values.count * 8 + groupCount * 16 <= byteCountMax else { return false }
        starts = [Int](repeating: 0, count: groupCount + 1)
        for group in groups { starts[Int(group) + 1] += 1 }
        for group in 0..<groupCount { starts[group + 1] += starts[group] }
        var ends = starts
        values = [Double](unsafeUninitializedCapacity: values.count) { sorted, count in
            for (value, group) in zip(values, groups) {
                sorted.initializeElement(at: ends[Int(group)], to: value)
                ends[Int(group)] += 1
            }
            count = values.count
        }
        groups = []
        return budget.spend(values.count)
    }

    override func state(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState? {
        guard case .percentile(let percent, _) = kind else { return nil }
        // Groups without values may come behind all others.
        let range = group + 1 < starts.count ? starts[group]..<starts[group + 1] : 0..<0
        let number = values.withUnsafeMutableBufferPointer {
            RankedDoubles(UnsafeMutableBufferPointer(rebasing: $0[range])).percentile(percent)
        }
        guard let number else { return AggregateState(AggregateCalculation(.max, .double)) }
        return AggregateState(.max, .double, best: number)
    }
}
