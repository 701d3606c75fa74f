import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// The state of one operation behind the values so far, by the rule of ``AggregateCalculation``.
///
/// Unlike in a query, where objects stay where they are, the least or greatest value is copied.
package struct AggregateState {
    /// The result over all values.
    package enum Result {
        /// The least, greatest or average of nothing.
        case none
        case stored([UInt8], ElementStorage)
        /// A sum of ints that no int64 holds.
        case beyondInt
    }

    private var calculation: AggregateCalculation
    /// The least or greatest value.
    private var best: [UInt8] = []

    package init(_ function: AggregateFunction, _ storage: ElementStorage) {
        calculation = AggregateCalculation(function, storage)
    }

    /// Bytes that it has outside itself.
    var byteCount: Int { best.count + calculation.byteCount }

    /// Takes a stored value, or null at nil.
    package mutating func add(_ address: UnsafeRawPointer?, _ byteCount: Int) {
        guard let address else { return }
        let before = best
        let isBest = before.withUnsafeBytes { calculation.take(address, byteCount, best: $0) }
        if isBest { best = Array(UnsafeRawBufferPointer(start: address, count: byteCount)) }
    }

    /// Adds the values of another state of the same operation.
    mutating func add(_ other: AggregateState) {
        switch calculation.function {
        case .sum, .average: calculation.add(other.calculation)
        case .min, .max:
            guard other.calculation.count > 0 else { return }
            other.best.withUnsafeBytes { add($0.baseAddress, $0.count) }
        }
    }

    /// The result of all values: 0 for a sum of nothing.
    package var result: Result {
        switch calculation.function {
        case .min, .max: calculation.count == 0 ? .none : .stored(best, calculation.storage)
        case .sum, .average: calculation.result
        }
    }
}

extension AggregateCalculation {
    /// The result of the numbers, of a sum or an average.
    var result: AggregateState.Result { number?.stored ?? (count == 0 ? .none : .beyondInt) }
}

extension Number {
    /// The number in the bytes in which it is stored.
    var stored: AggregateState.Result { withStored { .stored(Array($0), $1) } }
}

/// An aggregate of the values that a path leads to from one object, by the rule of ``AggregateCalculation``. The
/// values stay where they are stored until it is finished, or the least or greatest is copied.
struct Aggregator {
    private var calculation: AggregateCalculation
    /// The least or greatest value.
    private var best = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Where that is, if the values do not stay.
    private let copy = ByteBuffer(capacity: 16)
    var copiesValues = false

    init(_ function: AggregateFunction, _ storage: ElementStorage) {
        calculation = AggregateCalculation(function, storage)
    }

    /// Forgets all values.
    mutating func reset() {
        calculation.reset()
        best = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Takes a stored value, or null at nil.
    mutating func add(_ address: UnsafeRawPointer?, _ byteCount: Int) {
        guard let address else { return }
        guard calculation.take(address, byteCount, best: best) else { return }
        best = UnsafeRawBufferPointer(start: address, count: byteCount)
        guard copiesValues else { return }
        copy.removeAll()
        copy.append(best)
        best = copy.bytes
    }

    /// Hands the result to a sink: null for the least, greatest or average of nothing, and for a sum of ints that no int64 holds.
    ///
    /// - Returns: Whether the sink wants more.
    func finish(_ sink: ValueSink) -> Bool {
        switch calculation.function {
        case .min, .max: return sink.receive(best)
        case .sum, .average: break
        }
        guard let number = calculation.number else { return sink.receive(nil, 0) }
        return number.withStored { bytes, _ in sink.receive(bytes) }
    }
}
