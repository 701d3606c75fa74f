import HoldfastObjectModel
import HoldfastRows

/// Doubles or floats; of zeros the first stays the least or greatest, whatever its sign.
struct DoubleGroup: NumberGroup {
    private var count = 0
    private var sum = ExactSum()
    private var least = Double.infinity
    private var greatest = -Double.infinity

    var byteCount: Int { sum.byteCount }

    static func read(
        _ chunk: NumberChunk, _ positions: UnsafeBufferPointer<Int32>,
        into values: UnsafeMutablePointer<Double>
    ) {
        chunk.read(positions, into: values)
    }

    @inline(__always)
    mutating func add(
        _ value: Double, hasSum: Bool, hasExtremes: Bool, _ byteCount: inout Int
    ) {
        count += 1
        if hasSum { sum.add(value, &byteCount) }
        if hasExtremes { meet(value, value) }
    }

    mutating func add(
        _ values: UnsafeBufferPointer<Double>, of chunk: NumberChunk, isWhole: Bool, hasSum: Bool,
        hasExtremes: Bool
    ) {
        let (least, greatest) = (
            ColumnNumber.double(chunk.least), ColumnNumber.double(chunk.greatest)
        )
        count += values.count
        if hasSum { sum.add(values, sizeMax: max(-least, greatest)) }
        guard hasExtremes else { return }
        // Which of both zeros comes first only the values tell.
        if isWhole, least != 0, greatest != 0 { return meet(least, greatest) }
        var own = self
        // Hardly any is less or greater than all before: a branch is sooner done than a choice that the next one waits for.
        for value in values where value < own.least || value > own.greatest { own.meetOther(value) }
        (self.least, self.greatest) = (own.least, own.greatest)
    }

    mutating func add(_ other: DoubleGroup) {
        count += other.count
        sum.add(other.sum)
        meet(other.least, other.greatest)
    }

    @inline(never)
    private mutating func meetOther(_ value: Double) { meet(value, value) }

    @inline(__always)
    private mutating func meet(_ least: Double, _ greatest: Double) {
        if least < self.least { self.least = least }
        if greatest > self.greatest { self.greatest = greatest }
    }

    func result(_ function: AggregateFunction, _ storage: ElementStorage) -> AggregateState.Result {
        switch function {
        case .sum, .average:
            return AggregateCalculation(function, storage, count: count, doubles: sum).result
        case .min, .max:
            if count == 0 { return .none }
            let best = function == .min ? least : greatest
            return (storage == .float ? Number.float(Float(best)) : .double(best)).stored
        }
    }
}
