import HoldfastObjectModel
import HoldfastRows

/// The sum and the extremes of the numbers of a group.
protocol NumberGroup {
    associatedtype Value: BitwiseCopyable

    init()

    /// Bytes that it has outside itself.
    var byteCount: Int { get }

    /// Reads the numbers at some positions of a chunk.
    static func read(
        _ chunk: NumberChunk, _ positions: UnsafeBufferPointer<Int32>,
        into values: UnsafeMutablePointer<Value>)

    /// Adds a number, and to `byteCount` the bytes that the group comes to have outside itself for it.
    mutating func add(
        _ value: Value, hasSum: Bool, hasExtremes: Bool, _ byteCount: inout Int)

    /// Adds many numbers of a chunk.
    ///
    /// - `isWhole`: Whether all numbers of the chunk are added.
    mutating func add(
        _ values: UnsafeBufferPointer<Value>, of chunk: NumberChunk, isWhole: Bool, hasSum: Bool,
        hasExtremes: Bool)

    /// Adds each number to its group.
    ///
    /// - Returns: The bytes that the groups come to have outside themselves.
    static func add(
        _ values: UnsafeBufferPointer<Value>, to codes: UnsafePointer<UInt32>,
        of groups: inout [Self], hasSum: Bool, hasExtremes: Bool
    ) -> Int

    /// Adds the numbers of another group.
    mutating func add(_ other: Self)

    /// The result of a function of the numbers.
    func result(_ function: AggregateFunction, _ storage: ElementStorage) -> AggregateState.Result
}

extension NumberGroup {
    // Here, where the compiler knows the group: what a generic class does for a protocol is compiled for any.
    static func add(
        _ values: UnsafeBufferPointer<Value>, to codes: UnsafePointer<UInt32>,
        of groups: inout [Self], hasSum: Bool, hasExtremes: Bool
    ) -> Int {
        var byteCount = 0
        groups.withUnsafeMutableBufferPointer { groups in
            for index in values.indices {
                groups[Int(codes[index])].add(
                    values[index], hasSum: hasSum, hasExtremes: hasExtremes, &byteCount)
            }
        }
        return byteCount
    }
}

/// Sums and extremes of numbers.
final class NumberTotals<Group: NumberGroup>: ValueTotals {
    private let storage: ElementStorage
    private let functions: Set<AggregateFunction>
    private let hasSum: Bool
    private let hasExtremes: Bool
    private var groups: [Group] = []
    /// Bytes that groups have outside ``groups``.
    private var outerByteCount = 0
    private let values = BatchRoom<Group.Value>()

    init(_ storage: ElementStorage, _ functions: Set<AggregateFunction>) {
        (self.storage, self.functions) = (storage, functions)
        hasSum = functions.contains(.sum) || functions.contains(.average)
        hasExtremes = functions.contains(.min) || functions.contains(.max)
    }

    func makePart() -> NumberTotals { NumberTotals(storage, functions) }

    var byteCount: Int { groups.count * MemoryLayout<Group>.stride + outerByteCount }

    func grow(to groupCount: Int) {
        while groups.count < groupCount { groups.append(Group()) }
    }

    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ codes: UnsafePointer<UInt32>?) {
        guard let chunk = chunk as? NumberChunk else { return }
        Group.read(chunk, batch.positions, into: values.start)
        let values = UnsafeBufferPointer(start: values.start, count: batch.positions.count)
        guard let codes else {
            return groups[0].add(
                values, of: chunk, isWhole: batch.isWhole, hasSum: hasSum, hasExtremes: hasExtremes)
        }
        outerByteCount += Group.add(
            values, to: codes, of: &groups, hasSum: hasSum, hasExtremes: hasExtremes)
    }

    func add(_ part: NumberTotals, to codes: [UInt32], within budget: Budget) {
        for (other, code) in zip(part.groups, codes)
        where code != Aggregation.dropped && budget.spend() {
            let before = groups[Int(code)].byteCount
            groups[Int(code)].add(other)
            outerByteCount += groups[Int(code)].byteCount - before
        }
    }

    func result(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState.Result {
        guard case .values(let function, _) = kind else { return .none }
        return groups[group].result(function, storage)
    }
}
