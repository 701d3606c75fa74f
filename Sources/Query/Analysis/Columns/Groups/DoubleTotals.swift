import HoldfastObjectModel
import HoldfastRows

/// Sums and extremes of doubles or floats.
final class DoubleTotals: ValueTotals {
    /// The least and the greatest value. Among zeros the first stays, with either sign.
    private struct Extent {
        var least = Double.infinity
        var greatest = -Double.infinity

        @inline(__always)
        mutating func meet(_ other: Extent) {
            if other.least < least { least = other.least }
            if other.greatest > greatest { greatest = other.greatest }
        }

        @inline(never)
        mutating func meet(_ value: Double) { meet(Extent(least: value, greatest: value)) }

        /// Hardly any value is less or greater than all before: a branch is sooner done than a choice that the next
        /// one waits for.
        @inline(__always)
        func contains(_ value: Double) -> Bool { value >= least && value <= greatest }
    }

    private let storage: ElementStorage
    private let hasSum: Bool
    private let hasExtremes: Bool
    /// The count of the values of each group.
    private var counts: [Int] = []
    /// By group; empty if they are not requested.
    private(set) var sums: [ExactSum] = []
    /// By group; empty if they are not requested.
    private var extents: [Extent] = []
    /// Bytes that sums have outside ``sums``.
    private var outerByteCount = 0
    private let values = BatchRoom<Double>()

    /// - `hasExtremes`: Whether the least and the greatest are asked for.
    init(_ storage: ElementStorage, hasSum: Bool, hasExtremes: Bool) {
        (self.storage, self.hasSum, self.hasExtremes) = (storage, hasSum, hasExtremes)
    }

    func makePart() -> DoubleTotals {
        DoubleTotals(storage, hasSum: hasSum, hasExtremes: hasExtremes)
    }

    var byteCount: Int {
        counts.count * MemoryLayout<Int>.stride + sums.count * MemoryLayout<ExactSum>.stride
            + extents.count * MemoryLayout<Extent>.stride + outerByteCount
    }

    func grow(to groupCount: Int) {
        while counts.count < groupCount {
            counts.append(0)
            if hasSum { sums.append(ExactSum()) }
            if hasExtremes { extents.append(Extent()) }
        }
    }

    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ codes: UnsafePointer<UInt32>?) {
        guard let chunk = chunk as? NumberChunk else { return }
        chunk.read(batch.positions, into: values.start)
        let values = UnsafeBufferPointer(start: values.start, count: batch.positions.count)
        guard let codes else {
            counts[0] += values.count
            if hasSum { sums[0].add(values) }
            guard hasExtremes else { return }
            var own = extents[0]
            for value in values where !own.contains(value) { own.meet(value) }
            extents[0] = own
            return
        }
        counts.withUnsafeMutableBufferPointer { counts in
            for index in values.indices { counts[Int(codes[index])] += 1 }
        }
        if hasSum {
            var byteCount = 0
            sums.withUnsafeMutableBufferPointer { sums in
                for index in values.indices {
                    sums[Int(codes[index])].add(values[index], &byteCount)
                }
            }
            outerByteCount += byteCount
        }
        if hasExtremes {
            extents.withUnsafeMutableBufferPointer { extents in
                for index in values.indices
                where !extents[Int(codes[index])].contains(values[index]) {
                    extents[Int(codes[index])].meet(values[index])
                }
            }
        }
    }

    func add(_ part: DoubleTotals, to codes: [UInt32], within budget: Budget) {
        for (other, code) in zip(part.counts.indices, codes)
        where code != Aggregation.dropped && budget.spend() {
            let own = Int(code)
            counts[own] += part.counts[other]
            if hasSum {
                let before = sums[own].byteCount
                sums[own].add(part.sums[other])
                outerByteCount += sums[own].byteCount - before
            }
            if hasExtremes { extents[own].meet(part.extents[other]) }
        }
    }

    func result(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState.Result {
        guard case .values(let function, _) = kind else { return .none }
        let count = counts[group]
        switch function {
        case .sum, .average:
            return AggregateCalculation(function, storage, count: count, doubles: sums[group])
                .result
        case .min, .max:
            if count == 0 { return .none }
            let best = function == .min ? extents[group].least : extents[group].greatest
            return (storage == .float ? Number.float(Float(best)) : .double(best)).stored
        }
    }
}
