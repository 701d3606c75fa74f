import HoldfastObjectModel
import HoldfastRows

/// Sums and extremes of doubles or floats.
final class DoubleTotals: ValueTotals {
    /// The count of a group's values, and the sums of their parts (``DoubleCut``) that are not in its exact sum yet.
    private struct Group {
        var count = 0
        var upper = 0.0
        var lower = 0.0
    }

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
    private var groups: [Group] = []
    /// By group; empty if they are not requested.
    private var sums: [ExactSum] = []
    /// By group; empty if they are not requested.
    private var extents: [Extent] = []
    /// Bytes that sums have outside ``sums``.
    private var outerByteCount = 0
    private let values = BatchRoom<Double>()

    /// The greatest exponent of the values that ``cut`` takes.
    private var exponent = 0
    private var cut = DoubleCut(exponent: 0, additionCountLog2: additionCountLog2)
    /// So many values may be added before their parts go to ``sums``.
    private var additionsLeft = 0
    /// With more of them parts would have fewer bits, and go to ``sums`` hardly less often.
    private static let additionCountLog2 = 18
    /// The exponents of values that are cut. The fixed-point numbers of ``sums`` take the sums of their parts: this
    /// takes no memory that was not counted before.
    private static let exponents = -3...33
    /// Values that are less by this many exponents have bits below the bits of parts.
    private static let exponentSpan = 12

    /// - `hasExtremes`: Whether the least and the greatest are asked for.
    init(_ storage: ElementStorage, hasSum: Bool, hasExtremes: Bool) {
        (self.storage, self.hasSum, self.hasExtremes) = (storage, hasSum, hasExtremes)
    }

    func makePart() -> DoubleTotals {
        DoubleTotals(storage, hasSum: hasSum, hasExtremes: hasExtremes)
    }

    var byteCount: Int {
        groups.count * MemoryLayout<Group>.stride + sums.count * MemoryLayout<ExactSum>.stride
            + extents.count * MemoryLayout<Extent>.stride + outerByteCount
    }

    func grow(to groupCount: Int) {
        while groups.count < groupCount {
            groups.append(Group())
            if hasSum { sums.append(ExactSum()) }
            if hasExtremes { extents.append(Extent()) }
        }
    }

    // MARK: Adding

    func add(_ chunk: ColumnChunk, _ batch: ColumnBatch, _ codes: UnsafePointer<UInt32>?) {
        guard let chunk = chunk as? NumberChunk else { return }
        chunk.read(batch.positions, into: values.start)
        let values = UnsafeBufferPointer(start: values.start, count: batch.positions.count)
        let extent = Extent(
            least: ColumnNumber.double(chunk.least), greatest: ColumnNumber.double(chunk.greatest))
        let sizeMax = max(-extent.least, extent.greatest)
        guard let codes else {
            groups[0].count += values.count
            if hasSum { sums[0].add(values, sizeMax: sizeMax) }
            if hasExtremes { meet(values, of: extent, isWhole: batch.isWhole) }
            return
        }
        if hasSum {
            add(values, to: codes, sizeMax: sizeMax)
        } else {
            count(codes, values.count)
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

    private func count(_ codes: UnsafePointer<UInt32>, _ count: Int) {
        groups.withUnsafeMutableBufferPointer { groups in
            for index in 0..<count { groups[Int(codes[index])].count += 1 }
        }
    }

    /// Adds values of a chunk to the extent of the first group.
    ///
    /// - `isWhole`: Whether all values of the chunk are added.
    private func meet(_ values: UnsafeBufferPointer<Double>, of chunk: Extent, isWhole: Bool) {
        // Which of both zeros comes first only the values tell.
        if isWhole, chunk.least != 0, chunk.greatest != 0 { return extents[0].meet(chunk) }
        var own = extents[0]
        for value in values where !own.contains(value) { own.meet(value) }
        extents[0] = own
    }

    private func add(
        _ values: UnsafeBufferPointer<Double>, to codes: UnsafePointer<UInt32>, sizeMax: Double
    ) {
        guard let cut = cut(forAdding: values.count, exponent: Int(sizeMax.exponent)) else {
            count(codes, values.count)
            var byteCount = 0
            sums.withUnsafeMutableBufferPointer { sums in
                for index in values.indices {
                    sums[Int(codes[index])].add(values[index], &byteCount)
                }
            }
            outerByteCount += byteCount
            return
        }
        groups.withUnsafeMutableBufferPointer { groups in
            for index in values.indices {
                let code = Int(codes[index])
                groups[code].count += 1
                if let parts = cut.parts(of: values[index]) {
                    groups[code].upper += parts.upper
                    groups[code].lower += parts.lower
                } else {
                    addWhole(values[index], to: code)
                }
            }
        }
    }

    @inline(never)
    private func addWhole(_ value: Double, to code: Int) { sums[code].add(value, &outerByteCount) }

    /// The cut of values, which are counted as added. Nil where they are too large.
    ///
    /// - `exponent`: The greatest exponent of the values.
    private func cut(forAdding count: Int, exponent: Int) -> DoubleCut? {
        let exponent = max(exponent, Self.exponents.lowerBound)
        guard exponent <= Self.exponents.upperBound else { return nil }
        // Of a few large values all others have bits that are not in parts: for a chunk, no longer.
        let isMuchLess =
            exponent + Self.exponentSpan < self.exponent && groups.count <= ColumnChunk.keyCount
        if exponent > self.exponent || isMuchLess {
            self.exponent = exponent
            cut = DoubleCut(exponent: exponent, additionCountLog2: Self.additionCountLog2)
            additionsLeft = 0
        }
        if additionsLeft < count {
            addParts()
            additionsLeft = 1 << Self.additionCountLog2
        }
        additionsLeft -= count
        return cut
    }

    /// Adds the parts of all groups to their sums.
    private func addParts() {
        for code in groups.indices {
            addWhole(groups[code].upper, to: code)
            addWhole(groups[code].lower, to: code)
            (groups[code].upper, groups[code].lower) = (0, 0)
        }
    }

    func add(_ part: DoubleTotals, to codes: [UInt32], within budget: Budget) {
        for (other, code) in zip(part.groups.indices, codes)
        where code != Aggregation.dropped && budget.spend() {
            let own = Int(code)
            groups[own].count += part.groups[other].count
            if hasSum {
                let before = sums[own].byteCount
                sums[own].add(part.sum(of: other))
                outerByteCount += sums[own].byteCount - before
            }
            if hasExtremes { extents[own].meet(part.extents[other]) }
        }
    }

    // MARK: Results

    /// The sum of a group's values.
    func sum(of group: Int) -> ExactSum {
        var sum = sums[group]
        sum.add(groups[group].upper)
        sum.add(groups[group].lower)
        return sum
    }

    func result(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState.Result {
        guard case .values(let function, _) = kind else { return .none }
        let count = groups[group].count
        switch function {
        case .sum, .average:
            return AggregateCalculation(function, storage, count: count, doubles: sum(of: group))
                .result
        case .min, .max:
            if count == 0 { return .none }
            let best = function == .min ? extents[group].least : extents[group].greatest
            return (storage == .float ? Number.float(Float(best)) : .double(best)).stored
        }
    }
}
