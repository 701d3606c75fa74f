import HoldfastObjectModel
import HoldfastRows

/// An aggregate function applied to values one after the other: the one rule for aggregates in queries and in replies.
///
/// Null and NaN count as no value, and so do non-numbers for sums and averages of `mixed` values. A sum of
/// ints is exact, and one of doubles but for the last rounding; one of ints that no int64 holds has no value. The caller
/// keeps the least or greatest value.
struct AggregateCalculation {
    let function: AggregateFunction
    let storage: ElementStorage
    /// How many values there were.
    private(set) var count = 0
    private var ints: Int128 = 0
    private var doubles = ExactSum()
    private var decimals = Decimal128(0)
    /// The least or greatest value of a fixed width.
    private var bestOrdinal: UInt128 = 0

    init(_ function: AggregateFunction, _ storage: ElementStorage) {
        self.function = function
        self.storage = storage
    }

    /// Makes the sum or average of ints or doubles that were added elsewhere.
    init(
        _ function: AggregateFunction, _ storage: ElementStorage, count: Int, ints: Int128 = 0,
        doubles: ExactSum = ExactSum()
    ) {
        self.init(function, storage)
        (self.count, self.ints, self.doubles) = (count, ints, doubles)
    }

    /// Bytes that it has outside itself.
    var byteCount: Int { doubles.byteCount }

    /// Adds the numbers of another sum or average of the same values.
    mutating func add(_ other: AggregateCalculation) {
        count += other.count
        ints += other.ints
        doubles.add(other.doubles)
        decimals = decimals + other.decimals
    }

    /// Forgets all values.
    mutating func reset() { self = AggregateCalculation(function, storage) }

    /// Takes a stored value.
    ///
    /// - `best`: Of `mixed` values the least or greatest so far.
    /// - Returns: Whether the value is now the least or greatest.
    mutating func take(
        _ address: UnsafeRawPointer, _ byteCount: Int, best: UnsafeRawBufferPointer
    ) -> Bool {
        switch function {
        case .min, .max: return compare(address, byteCount, best)
        case .sum, .average:
            add(address, byteCount)
            return false
        }
    }

    private mutating func add(_ address: UnsafeRawPointer, _ byteCount: Int) {
        guard let number = Number(address, byteCount, storage), !number.isNaN else { return }
        count += 1
        switch storage {
        case .int: ints += Int128(address.storedInt)
        case .decimal, .mixed: decimals = decimals + number.decimal
        default: doubles.add(number.double)
        }
    }

    private mutating func compare(
        _ address: UnsafeRawPointer, _ byteCount: Int, _ best: UnsafeRawBufferPointer
    ) -> Bool {
        if Number(address, byteCount, storage)?.isNaN ?? false { return false }
        if storage == .mixed {
            let value = MixedView(UnsafeRawBufferPointer(start: address, count: byteCount))
            if value.isNull { return false }
            count += 1
            if count == 1 { return true }
            let order = MixedView.order(value, MixedView(best))
            return function == .min ? order < 0 : order > 0
        }
        let ordinal = Ordinal.stored(address, storage)
        count += 1
        guard count == 1 || (function == .min ? ordinal < bestOrdinal : ordinal > bestOrdinal)
        else { return false }
        bestOrdinal = ordinal
        return true
    }

    /// The result over the numbers, of a sum or an average; nil for the average of nothing, and for a sum of ints that
    /// no int64 holds.
    var number: Number? {
        switch (function, storage) {
        case (.average, _) where count == 0: return nil
        case (.sum, .int): return Int64(exactly: ints).map { .int($0) }
        case (_, .decimal), (_, .mixed):
            return .decimal(
                function == .sum ? decimals : decimals / Decimal128(Int64(clamping: count)))
        default:
            let sum = storage == .int ? Double(ints) : doubles.value
            return .double(function == .sum ? sum : sum / Double(count))
        }
    }
}
