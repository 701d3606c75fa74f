import HoldfastRows

/// Doubles and floats. NaN stands among the exceptions, so that comparing needs no special order.
final class DoubleChunk: ColumnChunk, @unchecked Sendable {
    private let storage: ElementStorage
    /// The values; what stands for null or for an object that is not there is not to be used.
    let cells: UnsafeMutablePointer<Double>
    /// The least and the greatest value that is not null; equal when there is none.
    let least: Double
    let greatest: Double

    /// Packs values; those at null positions are not looked at.
    init(
        _ values: [Double], count: Int, _ storage: ElementStorage, nulls: [UInt8]?,
        exceptions: [UInt8]?, meter: ColumnMeter
    ) {
        self.storage = storage
        cells = UnsafeMutableRawPointer.allocate(byteCount: max(count * 8, 8), alignment: 64)
            .bindMemory(to: Double.self, capacity: max(count, 1))
        cells.update(from: values, count: count)
        (least, greatest) = Self.extent(
            values, count: count, nulls: nulls, exceptions: exceptions)
        super.init(
            count: count, nulls: nulls, exceptions: exceptions, valueByteCount: count * 8,
            meter: meter)
    }

    deinit { cells.deallocate() }

    /// The value at a position that is not null.
    @inline(__always)
    func value(_ position: Int) -> Double { cells[position] }

    override func withStored(_ position: Int, _ body: (UnsafeRawPointer, Int) -> Void) {
        guard storage == .float else { return body(UnsafeRawPointer(cells + position), 8) }
        var value = Float(cells[position])
        withUnsafeBytes(of: &value) { body($0.baseAddress ?? UnsafeRawPointer(cells), 4) }
    }

    override func evaluate(_ kernel: ColumnKernel, into mask: UnsafeMutablePointer<UInt8>) {
        switch kernel.form {
        case .fixed(let result): ColumnMask.fill(mask, count, result)
        case .doubles(let range, let isInside):
            if range.lowerBound <= least, range.upperBound >= greatest {
                ColumnMask.fill(mask, count, isInside)
            } else if range.lowerBound > greatest || range.upperBound < least {
                ColumnMask.fill(mask, count, !isInside)
            } else {
                evaluate(range, isInside ? 0 : 1, into: mask)
            }
        default: return evaluateEach(kernel.test, into: mask)
        }
        applyNulls(kernel.test.nullResult, to: mask)
    }

    private func evaluate(
        _ range: ClosedRange<Double>, _ flip: UInt8, into mask: UnsafeMutablePointer<UInt8>
    ) {
        let (low, high) = (range.lowerBound, range.upperBound)
        // One bound is usually none at all.
        if low <= least {
            for position in 0..<count { mask[position] = (cells[position] <= high ? 1 : 0) ^ flip }
        } else if high >= greatest {
            for position in 0..<count { mask[position] = (cells[position] >= low ? 1 : 0) ^ flip }
        } else {
            for position in 0..<count {
                let value = cells[position]
                mask[position] = ((value >= low ? 1 : 0) & (value <= high ? 1 : 0)) ^ flip
            }
        }
    }
}
