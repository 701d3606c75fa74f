import ObjectModel
import Rows

/// The state of one operation behind the values so far, by the rule of ``AggregateCalculation``.
///
/// Unlike in a query, where objects stay where they are, the least or greatest value is copied.
package struct AggregateState {
    /// The result over all values.
    package enum Result {
        /// The least, greatest or average of nothing.
        case none
        /// A value as it is stored.
        case stored([UInt8], ElementStorage)
        /// A sum of ints that no int64 holds.
        case beyondInt
    }

    private var calculation: AggregateCalculation
    /// The least or greatest value.
    private var best: [UInt8] = []
    /// The values of an operation that needs all of them. No other state has them.
    private let collected: CollectedValues?

    /// Makes a state before any value; nil for the count of objects.
    init?(_ kind: AggregateOperation.Kind) {
        guard let storage = kind.path?.type.storage else { return nil }
        switch kind {
        case .values(let function, _):
            calculation = AggregateCalculation(function, storage)
            collected = nil
            return
        case .percentile(let percent, _): collected = RankedValues(storage, percent: percent)
        case .count, .distinctCount: collected = DistinctValues(storage)
        }
        calculation = AggregateCalculation(.min, storage)
    }

    /// Makes the state behind the values of a sum or an average, or before any value.
    init(_ calculation: AggregateCalculation) {
        self.calculation = calculation
        collected = nil
    }

    /// Makes the state of a least or greatest value.
    init(_ function: AggregateFunction, _ storage: ElementStorage, best: some BitwiseCopyable) {
        self.init(AggregateCalculation(function, storage))
        withUnsafeBytes(of: best) { add($0.baseAddress, storage.fixedByteCount ?? $0.count) }
    }

    /// Bytes that it has outside itself.
    var byteCount: Int { collected?.byteCount ?? best.count + calculation.byteCount }

    /// Takes a stored value, or null at nil.
    mutating func add(_ address: UnsafeRawPointer?, _ byteCount: Int) {
        guard let address else { return }
        if let collected { return collected.add(address, byteCount) }
        let isBest: Bool
        if calculation.storage == .mixed {
            let best = best
            isBest = best.withUnsafeBytes { calculation.take(address, byteCount, best: $0) }
        } else {
            isBest = calculation.take(address, byteCount, best: Self.nothing)
        }
        if isBest { best = Array(UnsafeRawBufferPointer(start: address, count: byteCount)) }
    }

    /// Adds the values of another state of the same operation, which needs not all of them.
    mutating func add(_ other: AggregateState) {
        switch calculation.function {
        case .sum, .average: calculation.add(other.calculation)
        case .min, .max:
            guard other.calculation.count > 0 else { return }
            other.best.withUnsafeBytes { add($0.baseAddress, $0.count) }
        }
    }

    /// The result over all values: 0 for a sum of nothing.
    package var result: Result {
        if let collected { return collected.result }
        switch calculation.function {
        case .min, .max:
            return calculation.count == 0 ? .none : .stored(best, calculation.storage)
        case .sum, .average: break
        }
        return switch calculation.outcome {
        case .none: .none
        case .beyondInt: .beyondInt
        case .stored(let number, let storage):
            .stored(
                withUnsafeBytes(of: number) { Array($0.prefix(storage.fixedByteCount ?? 0)) },
                storage)
        }
    }

    private static var nothing: UnsafeRawBufferPointer { .init(start: nil, count: 0) }
}
