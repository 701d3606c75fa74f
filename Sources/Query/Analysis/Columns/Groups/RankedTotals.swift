import HoldfastObjectModel
import HoldfastRows

/// A number that percentiles are calculated of.
protocol RankedNumber: BitwiseCopyable {
    /// Reads the numbers at some positions of a chunk, and the index of each among these.
    ///
    /// - Returns: How many there are.
    static func read(
        _ chunk: ColumnChunk, _ positions: UnsafeBufferPointer<Int32>, _ storage: ElementStorage,
        into numbers: UnsafeMutablePointer<Self>, _ indices: UnsafeMutablePointer<Int>
    ) -> Int

    /// The numbers in order; nil once the budget has failed. Equal decimals with more and with fewer final zeros have one order,
    /// whatever they came in.
    static func sorted(_ numbers: consuming [Self], within budget: Budget) -> [Self]?

    /// The number between two neighbours by linear interpolation.
    ///
    /// - `share`: Its distance from `low`, as a part of the distance of both; below 1.
    static func between(_ low: Self, _ high: Self, share: Double) -> Number
}

extension RankedNumber {
    /// The numbers at (n − 1) · percent / 100 among the n sorted numbers, counted from 0: between two of them in proportion to
    /// its distance from both. Null without numbers.
    ///
    /// - Returns: As many as `percents`; nil once the budget has failed.
    static func percentiles(
        _ percents: some Sequence<Double>, of numbers: consuming [Self], within budget: Budget
    ) -> [Number?]? {
        guard let sorted = sorted(consume numbers, within: budget) else { return nil }
        return percents.map { percent in
            guard !sorted.isEmpty else { return nil }
            let rank = Double(sorted.count - 1) * percent / 100
            let index = min(Int(rank), sorted.count - 1)
            return between(
                sorted[index], sorted[min(index + 1, sorted.count - 1)],
                share: rank - Double(index))
        }
    }
}

/// Percentiles of numbers: of each group all of them. One thread at a time uses them.
final class RankedTotals<Value: RankedNumber>: ValueTotals {
    private let storage: ElementStorage
    private let percents: Set<Double>
    private let isGrouped: Bool
    /// One after the other as they come; by group once they are settled.
    private var values: [Value] = []
    /// The group of each value, where there are groups.
    private var groups: [UInt32] = []
    private var groupCount = 0
    /// The percentiles of each group, when they are settled.
    private var found: [Double: [Number?]] = [:]
    private let numbers = BatchRoom<Value>()
    private let indices = BatchRoom<Int>()

    init(_ storage: ElementStorage, _ percents: Set<Double>, isGrouped: Bool) {
        (self.storage, self.percents, self.isGrouped) = (storage, percents, isGrouped)
    }

    func makePart() -> RankedTotals { RankedTotals(storage, percents, isGrouped: isGrouped) }

    var byteCount: Int {
        values.capacity * MemoryLayout<Value>.stride + groups.capacity * 4
            + found.count * groupCount * MemoryLayout<Number?>.stride
    }

    func grow(to groupCount: Int) { self.groupCount = groupCount }

    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?) {
        let count = Value.read(chunk, batch.positions, storage, into: numbers.start, indices.start)
        values.append(contentsOf: UnsafeBufferPointer(start: numbers.start, count: count))
        guard let groups else { return }
        self.groups.append(
            contentsOf: (0..<count).lazy.map { [indices = indices.start] in groups[indices[$0]] })
    }

    func add(_ part: RankedTotals, to groups: [UInt32], within budget: Budget) {
        // No more than they take: room for others is of no use any more.
        values.reserveCapacity(values.count + part.values.count)
        guard isGrouped else {
            values += part.values
            return
        }
        self.groups.reserveCapacity(self.groups.count + part.groups.count)
        for (value, group) in zip(part.values, part.groups)
        where groups[Int(group)] != Aggregation.dropped && budget.spend() {
            values.append(value)
            self.groups.append(groups[Int(group)])
        }
    }

    func settle(byteCountMax: Int, within budget: Budget) -> Bool {
        let percentByteCount = percents.count * groupCount * MemoryLayout<Number?>.stride
        guard
            // Of the largest group, at most of all, there is a copy and what sorting takes.
            2 * values.count * MemoryLayout<Value>.stride + groupCount * 16 + percentByteCount
                <= byteCountMax
        else { return false }
        var starts = isGrouped ? [Int](repeating: 0, count: groupCount + 1) : [0, values.count]
        for group in groups where budget.spend() { starts[Int(group) + 1] += 1 }
        guard budget.checkLimits() else { return false }
        if isGrouped { gather(&starts) }
        for percent in percents { found[percent] = [] }
        return values.withUnsafeBufferPointer { values in
            for group in 0..<groupCount {
                let range = starts[group]..<starts[group + 1]
                guard budget.spend(range.count + 1) else { return false }
                guard
                    let numbers = Value.percentiles(
                        percents, of: Array(values[range]), within: budget)
                else { return false }
                for (percent, number) in zip(percents, numbers) { found[percent]?.append(number) }
            }
            return true
        }
    }

    /// Puts the values of each group together.
    ///
    /// - `starts`: The number of values of the group before each; then the start of each group's values.
    private func gather(_ starts: inout [Int]) {
        for group in 0..<groupCount { starts[group + 1] += starts[group] }
        var ends = starts
        values = [Value](unsafeUninitializedCapacity: values.count) { sorted, count in
            for (value, group) in zip(values, groups) {
                sorted.initializeElement(at: ends[Int(group)], to: value)
                ends[Int(group)] += 1
            }
            count = values.count
        }
        groups = []
    }

    func result(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState.Result {
        guard case .percentile(let percent, _) = kind else { return .none }
        return found[percent]?[group]?.stored ?? .none
    }
}

/// Of ints, floats and doubles.
extension Double: RankedNumber {
    static func read(
        _ chunk: ColumnChunk, _ positions: UnsafeBufferPointer<Int32>, _ storage: ElementStorage,
        into numbers: UnsafeMutablePointer<Double>, _ indices: UnsafeMutablePointer<Int>
    ) -> Int {
        guard let chunk = chunk as? NumberChunk else { return 0 }
        if storage == .int {
            for index in positions.indices {
                numbers[index] = Double(chunk.value(Int(positions[index])))
            }
        } else {
            chunk.read(positions, into: numbers)
        }
        for index in positions.indices { indices[index] = index }
        return positions.count
    }

    /// Many numbers are sorted by the digits of their bits, in linear time.
    ///
    /// Benchmark row: `aggregates`.
    static func sorted(_ numbers: consuming [Double], within budget: Budget) -> [Double]? {
        var sorted = consume numbers
        guard budget.spend(sorted.count) else { return nil }
        if sorted.count <= 1 << 12 { return sorted.sorted() }
        var other = [Double](repeating: 0, count: sorted.count)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            guard budget.spend(sorted.count) else { return nil }
            func digit(_ number: Double) -> Int {
                Int(OrderedKey.orderedBits(number) >> shift & 0xFF)
            }
            var starts = [Int](repeating: 0, count: 257)
            for number in sorted { starts[digit(number) + 1] += 1 }
            for index in 1...256 { starts[index] += starts[index - 1] }
            for number in sorted {
                other[starts[digit(number)]] = number
                starts[digit(number)] += 1
            }
            swap(&sorted, &other)
        }
        return sorted
    }

    static func between(_ low: Double, _ high: Double, share: Double) -> Number {
        if share == 0 || low == high { return .double(low) }
        let step = (high - low) * share
        return .double(step.isFinite ? low + step : low * (1 - share) + high * share)
    }
}

/// Of decimals, and of the numbers among `mixed` values.
extension Decimal128: RankedNumber {
    static func read(
        _ chunk: ColumnChunk, _ positions: UnsafeBufferPointer<Int32>, _ storage: ElementStorage,
        into numbers: UnsafeMutablePointer<Decimal128>, _ indices: UnsafeMutablePointer<Int>
    ) -> Int {
        var count = 0
        for (index, position) in positions.enumerated() {
            chunk.withStored(Int(position)) { address, byteCount in
                guard let number = Number(address, byteCount, storage), !number.isNaN else {
                    return
                }
                (numbers[count], indices[count]) = (number.decimal, index)
                count += 1
            }
        }
        return count
    }

    static func sorted(
        _ numbers: consuming [Decimal128], within budget: Budget
    ) -> [Decimal128]? {
        numbers.sorted(within: budget) {
            ($0.ordinal, $0.high, $0.low) < ($1.ordinal, $1.high, $1.low)
        }
    }

    static func between(_ low: Decimal128, _ high: Decimal128, share: Double) -> Number {
        let step = (high - low) * Decimal128(rounding: share, digitCount: 15)
        // Of infinities that are alike there is no difference.
        return .decimal(share == 0 || step.kind == .nan ? low : low + step)
    }
}
