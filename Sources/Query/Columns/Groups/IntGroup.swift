import HoldfastObjectModel
import HoldfastRows

/// Ints, or dates as columns have them.
struct IntGroup: NumberGroup {
    private var count = 0
    private var sum: Int128 = 0
    private var least = Int64.max
    private var greatest = Int64.min

    var byteCount: Int { 0 }

    static func read(
        _ chunk: NumberChunk, _ positions: UnsafeBufferPointer<Int32>,
        into values: UnsafeMutablePointer<Int64>
    ) {
        chunk.read(positions, into: values)
    }

    @inline(__always)
    mutating func add(
        _ value: Int64, hasSum: Bool, hasExtremes: Bool, _ byteCount: inout Int
    ) {
        count += 1
        if hasSum { sum += Int128(value) }
        if hasExtremes {
            least = min(least, value)
            greatest = max(greatest, value)
        }
    }

    mutating func add(
        _ values: UnsafeBufferPointer<Int64>, of chunk: NumberChunk, isWhole: Bool, hasSum: Bool,
        hasExtremes: Bool
    ) {
        var (own, byteCount) = (self, 0)
        if isWhole {
            (own.least, own.greatest) = (min(least, chunk.least), max(greatest, chunk.greatest))
        }
        for value in values {
            own.add(value, hasSum: true, hasExtremes: hasExtremes && !isWhole, &byteCount)
        }
        self = own
    }

    mutating func add(_ other: IntGroup) {
        count += other.count
        sum += other.sum
        least = min(least, other.least)
        greatest = max(greatest, other.greatest)
    }

    func result(_ function: AggregateFunction, _ storage: ElementStorage) -> AggregateState.Result {
        switch function {
        case .sum, .average:
            return AggregateCalculation(function, storage, count: count, ints: sum).result
        case .min, .max:
            if count == 0 { return .none }
            return ColumnNumber.withStored(function == .min ? least : greatest, storage) {
                .stored(Array(UnsafeRawBufferPointer(start: $0, count: $1)), storage)
            }
        }
    }
}
