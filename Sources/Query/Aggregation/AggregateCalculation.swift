import HoldfastObjectModel
import HoldfastRows

/// An aggregate function applied to values one after the other: the one rule for aggregates in
/// queries and in replies.
///
/// Null and NaN count as no value, and for sums and averages of `mixed` values whatever is no number. A sum of
/// ints is exact, and one of doubles but for the last rounding; one of ints that no int64 holds has no value. The caller
/// keeps the least or greatest value.
struct AggregateCalculation {
    /// The result over the numbers.
    enum Outcome {
        /// The average of nothing.
        case none
        /// A sum of ints that no int64 holds.
        case beyondInt
        /// A number in the bytes in which it is stored.
        case stored((UInt64, UInt64), ElementStorage)
    }

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

    /// Makes the sum or average of ints that were added elsewhere.
    init(_ function: AggregateFunction, _ storage: ElementStorage, count: Int, ints: Int128) {
        self.init(function, storage)
        self.count = count
        self.ints = ints
    }

    /// Makes the sum or average of doubles that were added elsewhere.
    init(_ function: AggregateFunction, _ storage: ElementStorage, count: Int, doubles: ExactSum) {
        self.init(function, storage)
        self.count = count
        self.doubles = doubles
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
        switch storage {
        case .int:
            ints += Int128(address.storedInt)
            count += 1
        case .float: add(Double(address.storedFloat))
        case .double: add(address.storedDouble)
        case .decimal: add(address.storedDecimal)
        case .mixed:
            if let number = Number(address, byteCount, .mixed) { add(number.decimal) }
        default: return
        }
    }

    private mutating func add(_ value: Double) {
        guard !value.isNaN else { return }
        doubles.add(value)
        count += 1
    }

    private mutating func add(_ value: Decimal128) {
        guard value.kind != .nan else { return }
        decimals = decimals + value
        count += 1
    }

    private mutating func compare(
        _ address: UnsafeRawPointer, _ byteCount: Int, _ best: UnsafeRawBufferPointer
    ) -> Bool {
        switch storage {
        case .mixed:
            return compare(
                MixedView(UnsafeRawBufferPointer(start: address, count: byteCount)), best)
        case .float where address.storedFloat.isNaN: return false
        case .double where address.storedDouble.isNaN: return false
        case .decimal where address.storedDecimal.kind == .nan: return false
        default: break
        }
        let ordinal = Ordinal.stored(address, storage)
        count += 1
        guard count == 1 || (function == .min ? ordinal < bestOrdinal : ordinal > bestOrdinal)
        else { return false }
        bestOrdinal = ordinal
        return true
    }

    private mutating func compare(_ value: MixedView, _ best: UnsafeRawBufferPointer) -> Bool {
        if value.isNull || Self.isNaN(value) { return false }
        count += 1
        if count == 1 { return true }
        let order = MixedView.order(value, MixedView(best))
        return function == .min ? order < 0 : order > 0
    }

    private static func isNaN(_ value: MixedView) -> Bool {
        guard let address = value.payload.baseAddress else { return false }
        return switch value.kind {
        case .float: address.storedFloat.isNaN
        case .double: address.storedDouble.isNaN
        case .decimal: address.storedDecimal.kind == .nan
        default: false
        }
    }

    /// The result over the numbers, of a sum or an average.
    var outcome: Outcome {
        if function == .average, count == 0 { return .none }
        switch (function, storage) {
        case (.sum, .int):
            guard let sum = Int64(exactly: ints) else { return .beyondInt }
            return .stored((UInt64(bitPattern: sum), 0), .int)
        case (_, .decimal), (_, .mixed):
            let result = function == .sum ? decimals : decimals / Decimal128(Int64(clamping: count))
            return .stored((result.low, result.high), .decimal)
        default:
            let sum = storage == .int ? Double(ints) : doubles.value
            let result = function == .sum ? sum : sum / Double(count)
            return .stored((result.bitPattern, 0), .double)
        }
    }
}
