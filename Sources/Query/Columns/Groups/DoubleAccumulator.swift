import ObjectModel
import Rows

/// Sums and extremes of doubles and floats.
final class DoubleAccumulator: ColumnAccumulator {
    private struct Group {
        var count = 0
        var sum = ExactSum()
        var least = Double.infinity
        var greatest = -Double.infinity

        /// Takes the least and the greatest of others; of zeros the first stays, whatever its sign.
        @inline(__always)
        mutating func meet(_ least: Double, _ greatest: Double) {
            if least < self.least { self.least = least }
            if greatest > self.greatest { self.greatest = greatest }
        }
    }

    private var groups: [Group] = []
    /// Bytes that sums have outside ``groups``.
    private var digitByteCount = 0

    override func makePart() -> ColumnAccumulator { DoubleAccumulator(reference, wishes) }

    override var byteCount: Int { groups.count * MemoryLayout<Group>.stride + digitByteCount }

    override func grow(to groupCount: Int) {
        while groups.count < groupCount { groups.append(Group()) }
    }

    override func add(
        _ chunk: ColumnChunk, _ batch: ColumnBatch, _ codes: UnsafePointer<UInt32>?
    ) {
        guard let chunk = chunk as? DoubleChunk else { return }
        let positions = batch.positions
        let values = UnsafePointer(chunk.cells)
        guard let codes else { return add(values, positions) }
        let wantsSum = wishes.contains(.sum)
        let wantsExtremes = wishes.contains(.extremes)
        var digitByteCount = 0
        groups.withUnsafeMutableBufferPointer { groups in
            for index in 0..<positions.count {
                let group = Int(codes[index])
                let value = values[Int(positions[index])]
                groups[group].count += 1
                if wantsSum { groups[group].sum.add(value, &digitByteCount) }
                if wantsExtremes { groups[group].meet(value, value) }
            }
        }
        self.digitByteCount += digitByteCount
    }

    /// Adds a value so many times.
    func add(_ value: Double, _ count: Int, to group: Int) {
        groups[group].count += count
        if wishes.contains(.sum) { groups[group].sum.add(value, times: count, &digitByteCount) }
        groups[group].meet(value, value)
    }

    /// Adds values to the first group.
    private func add(_ values: UnsafePointer<Double>, _ positions: UnsafeBufferPointer<Int32>) {
        groups[0].count += positions.count
        if wishes.contains(.sum) { groups[0].sum.add(values, at: positions) }
        guard wishes.contains(.extremes) else { return }
        var (least, greatest) = (groups[0].least, groups[0].greatest)
        for position in positions {
            let value = values[Int(position)]
            least = value < least ? value : least
            greatest = value > greatest ? value : greatest
        }
        (groups[0].least, groups[0].greatest) = (least, greatest)
    }

    override func add(_ part: ColumnAccumulator, to codes: [UInt32]) {
        guard let part = part as? DoubleAccumulator else { return }
        for (other, code) in zip(part.groups, codes) {
            let group = Int(code)
            groups[group].count += other.count
            let before = groups[group].sum.byteCount
            groups[group].sum.add(other.sum)
            digitByteCount += groups[group].sum.byteCount - before
            groups[group].meet(other.least, other.greatest)
        }
    }

    override func calculation(
        _ function: AggregateFunction, _ storage: ElementStorage, of group: Int
    ) -> AggregateCalculation {
        AggregateCalculation(
            function, storage, count: groups[group].count, doubles: groups[group].sum)
    }

    override func best(
        _ function: AggregateFunction, _ storage: ElementStorage, of group: Int
    ) -> AggregateState? {
        let group = groups[group]
        if group.count == 0 { return nil }
        let best = function == .min ? group.least : group.greatest
        return storage == .float
            ? AggregateState(function, storage, best: Float(best))
            : AggregateState(function, storage, best: best)
    }
}
