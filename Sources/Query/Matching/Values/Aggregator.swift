import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// An aggregate of the values that a path leads to from one object, by the rule of ``AggregateCalculation``. The
/// values stay where they are stored until it is finished, or values of fixed width are copied.
struct Aggregator {
    private var calculation: AggregateCalculation
    /// The least or greatest value.
    private var best = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Where that is, if the values do not stay: they are of fixed width then.
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
