import ObjectModel
import Rows

/// Gathers values for an aggregate. Nulls and decimal NaN are left out, and of `mixed` values for sums
/// and averages whatever is no number.
struct Aggregator {
    private let function: AggregateFunction
    private let storage: ElementStorage
    private var count = 0
    private var ints: Int64 = 0
    private var doubles = 0.0
    private var decimals = Decimal128(0)
    /// The least or greatest value; it lies where it is stored.
    private var best: (address: UnsafeRawPointer, count: Int)?

    init(_ function: AggregateFunction, _ storage: ElementStorage) {
        self.function = function
        self.storage = storage
    }

    /// Forgets all values.
    mutating func reset() {
        count = 0
        ints = 0
        doubles = 0
        decimals = Decimal128(0)
        best = nil
    }

    /// Takes a stored value, or null at nil.
    mutating func add(_ address: UnsafeRawPointer?, _ byteCount: Int) {
        guard let address else { return }
        switch function {
        case .min, .max: compare(address, byteCount)
        case .sum, .average: add(address, byteCount: byteCount)
        }
    }

    private mutating func add(_ address: UnsafeRawPointer, byteCount: Int) {
        switch storage {
        case .int:
            ints &+= address.storedInt
            doubles += Double(address.storedInt)
        case .float: doubles += Double(address.storedFloat)
        case .double: doubles += address.storedDouble
        case .decimal: return add(address.storedDecimal)
        case .mixed:
            if let number = Number(address, byteCount, .mixed) { add(number.decimal) }
            return
        default: return
        }
        count += 1
    }

    private mutating func add(_ value: Decimal128) {
        guard value.kind != .nan else { return }
        decimals = decimals + value
        count += 1
    }

    private mutating func compare(_ address: UnsafeRawPointer, _ byteCount: Int) {
        if storage == .decimal, address.storedDecimal.kind == .nan { return }
        guard let best else {
            if storage == .mixed, Self.isLeftOut(Self.mixed(address, byteCount)) { return }
            best = (address, byteCount)
            return
        }
        let order: Int
        if storage == .mixed {
            let value = Self.mixed(address, byteCount)
            if Self.isLeftOut(value) { return }
            order = MixedView.order(value, Self.mixed(best.address, best.count))
        } else {
            let (a, b) = (Ordinal.stored(address, storage), Ordinal.stored(best.address, storage))
            order = a < b ? -1 : a == b ? 0 : 1
        }
        if function == .min ? order < 0 : order > 0 { self.best = (address, byteCount) }
    }

    private static func mixed(_ address: UnsafeRawPointer, _ byteCount: Int) -> MixedView {
        MixedView(UnsafeRawBufferPointer(start: address, count: byteCount))
    }

    private static func isLeftOut(_ value: MixedView) -> Bool {
        if value.kind == .decimal, let address = value.payload.baseAddress {
            return address.storedDecimal.kind == .nan
        }
        return value.isNull
    }

    /// Hands the result to a sink: null for the least, greatest or average of nothing.
    ///
    /// - Returns: Whether the sink wants more.
    func finish(_ sink: ValueSink) -> Bool {
        switch (function, storage) {
        case (.min, _), (.max, _): return sink.receive(best?.address, best?.count ?? 0)
        case (.average, _) where count == 0: return sink.receive(nil, 0)
        case (.sum, .int):
            var sum = ints
            return sink.receive(&sum, 8)
        case (_, .decimal), (_, .mixed):
            let result =
                function == .sum ? decimals : decimals / Decimal128(Int64(clamping: count))
            var halves = (result.low, result.high)
            return sink.receive(&halves, 16)
        default:
            var result = function == .sum ? doubles : doubles / Double(count)
            return sink.receive(&result, 8)
        }
    }
}
