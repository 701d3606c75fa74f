import ObjectModel
import Rows

/// What one operation has made of the values so far. Null and NaN count as no value, and for sums and
/// averages of `mixed` values whatever is no number.
///
/// Unlike in a query, where objects stay where they are, values are copied, and a sum of ints is exact.
package struct AggregateState {
    /// What came of all values.
    package enum Result {
        /// The least, greatest or average of nothing.
        case none
        /// A value as it is stored.
        case stored([UInt8], ElementStorage)
        /// A sum of ints that no int64 holds.
        case beyondInt
    }

    private let function: AggregateFunction
    private let storage: ElementStorage
    private var count = 0
    private var ints: Int128 = 0
    private var doubles = 0.0
    private var decimals = Decimal128(0)
    /// The least or greatest value.
    private var best: [UInt8] = []
    private var bestOrdinal: UInt128 = 0

    /// Makes a state before any value; `storage` is that of the values.
    init(_ function: AggregateFunction, _ storage: ElementStorage) {
        self.function = function
        self.storage = storage
    }

    /// Bytes that it has outside itself.
    var byteCount: Int { best.count }

    /// Takes a stored value, or null at nil.
    mutating func add(_ address: UnsafeRawPointer?, _ byteCount: Int) {
        guard let address else { return }
        switch function {
        case .min, .max: compare(address, byteCount)
        case .sum, .average: add(address, byteCount)
        }
    }

    private mutating func add(_ address: UnsafeRawPointer, _ byteCount: Int) {
        switch storage {
        case .int: ints += Int128(address.storedInt)
        case .float: return add(Double(address.storedFloat))
        case .double: return add(address.storedDouble)
        case .decimal: return add(address.storedDecimal)
        case .mixed:
            guard let number = Number(address, byteCount, .mixed) else { return }
            return add(number.decimal)
        default: return
        }
        count += 1
    }

    private mutating func add(_ value: Double) {
        guard !value.isNaN else { return }
        doubles += value
        count += 1
    }

    private mutating func add(_ value: Decimal128) {
        guard value.kind != .nan else { return }
        decimals = decimals + value
        count += 1
    }

    private mutating func compare(_ address: UnsafeRawPointer, _ byteCount: Int) {
        let bytes = UnsafeRawBufferPointer(start: address, count: byteCount)
        if storage == .mixed { return compare(MixedView(bytes), bytes) }
        switch storage {
        case .float where address.storedFloat.isNaN: return
        case .double where address.storedDouble.isNaN: return
        case .decimal where address.storedDecimal.kind == .nan: return
        default: break
        }
        let ordinal = Ordinal.stored(address, storage)
        count += 1
        guard count == 1 || (function == .min ? ordinal < bestOrdinal : ordinal > bestOrdinal)
        else { return }
        bestOrdinal = ordinal
        best = Array(bytes)
    }

    private mutating func compare(_ value: MixedView, _ bytes: UnsafeRawBufferPointer) {
        if value.isNull { return }
        switch bytes.baseAddress.flatMap({ Number($0, bytes.count, .mixed) }) {
        case .float(let number) where number.isNaN: return
        case .double(let number) where number.isNaN: return
        case .decimal(let number) where number.kind == .nan: return
        default: break
        }
        count += 1
        let order =
            count == 1
            ? 0 : best.withUnsafeBytes { MixedView.order(value, MixedView($0)) }
        if count == 1 || (function == .min ? order < 0 : order > 0) { best = Array(bytes) }
    }

    /// What came of all values: 0 for a sum of nothing.
    package var result: Result {
        switch (function, storage) {
        case (.min, _), (.max, _): return count == 0 ? .none : .stored(best, storage)
        case (.average, _) where count == 0: return .none
        case (.sum, .int):
            guard let sum = Int64(exactly: ints) else { return .beyondInt }
            return .stored(Self.bytes(sum), .int)
        case (_, .decimal), (_, .mixed):
            let value = function == .sum ? decimals : decimals / Decimal128(Int64(clamping: count))
            return .stored(Self.bytes((value.low, value.high)), .decimal)
        case (_, .int): return .stored(Self.bytes(Double(ints) / Double(count)), .double)
        default:
            let value = function == .sum ? doubles : doubles / Double(count)
            return .stored(Self.bytes(value), .double)
        }
    }

    private static func bytes<Stored: BitwiseCopyable>(_ value: Stored) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }
}
