import HoldfastObjectModel
import HoldfastRows

/// The numbers of values (``ColumnNumber``), each as its distance from the least one in as few bytes as the greatest
/// distance needs.
final class NumberChunk: ColumnChunk, @unchecked Sendable {
    let storage: ElementStorage
    /// The least and the greatest value that is not null; equal without one.
    let least: Int64
    let greatest: Int64
    /// The bytes of a distance: 1, 2, 4 or 8.
    private let width: Int
    private let cells: UnsafeMutableRawPointer

    /// Packs values; values at null positions are ignored.
    init(
        _ values: [Int64], count: Int, _ storage: ElementStorage, nulls: [UInt8]?,
        exceptions: [UInt8]?, meter: ColumnMeter
    ) {
        let (least, greatest) = Self.extent(
            values, count: count, nulls: nulls, exceptions: exceptions)
        self.least = least
        self.greatest = greatest
        self.storage = storage
        let span = UInt64(bitPattern: greatest &- least)
        width = span <= 0xFF ? 1 : span <= 0xFFFF ? 2 : span <= 0xFFFF_FFFF ? 4 : 8
        cells = .allocate(byteCount: max(count * width, 1), alignment: 64)
        switch width {
        case 1: Self.pack(values, count, least, cells.assumingMemoryBound(to: UInt8.self))
        case 2: Self.pack(values, count, least, cells.assumingMemoryBound(to: UInt16.self))
        case 4: Self.pack(values, count, least, cells.assumingMemoryBound(to: UInt32.self))
        default: Self.pack(values, count, least, cells.assumingMemoryBound(to: UInt64.self))
        }
        super.init(
            count: count, nulls: nulls, exceptions: exceptions, valueByteCount: count * width,
            meter: meter)
    }

    deinit { cells.deallocate() }

    @inline(__always)
    private static func pack<Cell: FixedWidthInteger>(
        _ values: [Int64], _ count: Int, _ least: Int64, _ cells: UnsafeMutablePointer<Cell>
    ) {
        for position in 0..<count {
            cells[position] = Cell(truncatingIfNeeded: values[position] &- least)
        }
    }

    /// The value at a position that is not null.
    @inline(__always)
    func value(_ position: Int) -> Int64 {
        let distance: UInt64 =
            switch width {
            case 1: UInt64(cells.assumingMemoryBound(to: UInt8.self)[position])
            case 2: UInt64(cells.assumingMemoryBound(to: UInt16.self)[position])
            case 4: UInt64(cells.assumingMemoryBound(to: UInt32.self)[position])
            default: cells.assumingMemoryBound(to: UInt64.self)[position]
            }
        return least &+ Int64(bitPattern: distance)
    }

    /// Reads the values at some positions; values for null must not be used.
    func read(_ positions: UnsafeBufferPointer<Int32>, into values: UnsafeMutablePointer<Int64>) {
        read(positions) { values[$0] = $1 }
    }

    /// Reads the doubles at some positions.
    func read(_ positions: UnsafeBufferPointer<Int32>, into doubles: UnsafeMutablePointer<Double>) {
        read(positions) { doubles[$0] = ColumnNumber.double($1) }
    }

    @inline(__always)
    private func read(
        _ positions: UnsafeBufferPointer<Int32>, _ body: (_ index: Int, _ value: Int64) -> Void
    ) {
        switch width {
        case 1: read(positions, UInt8.self, body)
        case 2: read(positions, UInt16.self, body)
        case 4: read(positions, UInt32.self, body)
        default: read(positions, UInt64.self, body)
        }
    }

    @inline(__always)
    private func read<Cell: FixedWidthInteger & UnsignedInteger>(
        _ positions: UnsafeBufferPointer<Int32>, _ type: Cell.Type, _ body: (Int, Int64) -> Void
    ) {
        var cells = cells.assumingMemoryBound(to: type)
        let least = least
        if let first = Self.firstOfRun(positions) {
            // The compiler makes vectors of a loop over neighbours.
            cells += first
            for index in 0..<positions.count {
                body(index, least &+ Int64(truncatingIfNeeded: cells[index]))
            }
        } else {
            for index in 0..<positions.count {
                body(index, least &+ Int64(truncatingIfNeeded: cells[Int(positions[index])]))
            }
        }
    }

    /// The first of positions that follow each other; nil of others.
    private static func firstOfRun(_ positions: UnsafeBufferPointer<Int32>) -> Int? {
        guard let first = positions.first, let last = positions.last,
            Int(last) - Int(first) == positions.count - 1
        else { return nil }
        var difference: Int32 = 0
        for index in 0..<positions.count {
            difference |= positions[index] ^ (first &+ Int32(truncatingIfNeeded: index))
        }
        return difference == 0 ? Int(first) : nil
    }

    /// Hands over each position with the place of its value in a table: 0 for null, else one more than its distance from
    /// `base`, which no value is below.
    @inline(__always)
    func forEachPlace(from base: Int64, _ body: (_ position: Int, _ place: Int) -> Void) {
        switch width {
        case 1: forEachPlace(from: base, UInt8.self, body)
        case 2: forEachPlace(from: base, UInt16.self, body)
        case 4: forEachPlace(from: base, UInt32.self, body)
        default: forEachPlace(from: base, UInt64.self, body)
        }
    }

    @inline(__always)
    private func forEachPlace<Cell: FixedWidthInteger & UnsignedInteger>(
        from base: Int64, _ type: Cell.Type, _ body: (Int, Int) -> Void
    ) {
        let (cells, nulls) = (cells.assumingMemoryBound(to: type), nulls)
        let first = Int(least &- base) &+ 1
        for position in 0..<count {
            let place = first &+ Int(truncatingIfNeeded: cells[position])
            body(position, nulls?[position] ?? 0 == 0 ? place : 0)
        }
    }

    override func withStored(_ position: Int, _ body: (UnsafeRawPointer, Int) -> Void) {
        ColumnNumber.withStored(value(position), storage) { body($0, $1) }
    }

    override func evaluate(_ kernel: ColumnKernel, into mask: UnsafeMutablePointer<UInt8>) {
        switch kernel.form {
        case .fixed(let result): ColumnMask.fill(mask, count, result)
        case .numbers(let range, let isInside): evaluate(range, isInside, into: mask)
        case .numberSet(let values):
            ColumnMask.fill(mask, count, false)
            for value in values where value >= least && value <= greatest {
                addEqual(value, to: mask)
            }
        default: return evaluateEach(kernel.test, into: mask)
        }
        applyNulls(kernel.test.nullResult, to: mask)
    }

    private func evaluate(
        _ range: ClosedRange<Int64>, _ isInside: Bool, into mask: UnsafeMutablePointer<UInt8>
    ) {
        if range.lowerBound <= least, range.upperBound >= greatest {
            return ColumnMask.fill(mask, count, isInside)
        }
        if range.lowerBound > greatest || range.upperBound < least {
            return ColumnMask.fill(mask, count, !isInside)
        }
        let first = UInt64(bitPattern: max(range.lowerBound, least) &- least)
        let span = UInt64(bitPattern: min(range.upperBound, greatest) &- least) &- first
        let flip: UInt8 = isInside ? 0 : 1
        switch width {
        case 1: ColumnMask.range(cells, UInt8.self, count, first, span, flip, mask)
        case 2: ColumnMask.range(cells, UInt16.self, count, first, span, flip, mask)
        case 4: ColumnMask.range(cells, UInt32.self, count, first, span, flip, mask)
        default: ColumnMask.range(cells, UInt64.self, count, first, span, flip, mask)
        }
    }

    /// Sets the positions that hold `value`, which lies between the least and the greatest.
    func addEqual(_ value: Int64, to mask: UnsafeMutablePointer<UInt8>) {
        let distance = UInt64(bitPattern: value &- least)
        switch width {
        case 1: ColumnMask.addEqual(cells, UInt8.self, count, distance, mask)
        case 2: ColumnMask.addEqual(cells, UInt16.self, count, distance, mask)
        case 4: ColumnMask.addEqual(cells, UInt32.self, count, distance, mask)
        default: ColumnMask.addEqual(cells, UInt64.self, count, distance, mask)
        }
    }

    /// Sets each position to the table's entry for its value; values beyond the table get `otherwise`.
    func look(
        up table: UnsafeBufferPointer<UInt8>, otherwise: UInt8,
        into mask: UnsafeMutablePointer<UInt8>
    ) {
        switch width {
        case 1: look(up: table, otherwise, UInt8.self, mask)
        case 2: look(up: table, otherwise, UInt16.self, mask)
        case 4: look(up: table, otherwise, UInt32.self, mask)
        default: look(up: table, otherwise, UInt64.self, mask)
        }
    }

    @inline(__always)
    private func look<Cell: FixedWidthInteger & UnsignedInteger>(
        up table: UnsafeBufferPointer<UInt8>, _ otherwise: UInt8, _ type: Cell.Type,
        _ mask: UnsafeMutablePointer<UInt8>
    ) {
        let cells = cells.assumingMemoryBound(to: type)
        guard let entries = table.baseAddress else {
            return ColumnMask.fill(mask, count, otherwise != 0)
        }
        let limit = UInt64(table.count)
        let least = UInt64(bitPattern: least)
        for position in 0..<count {
            let index = least &+ UInt64(truncatingIfNeeded: cells[position])
            mask[position] = index < limit ? entries[Int(truncatingIfNeeded: index)] : otherwise
        }
    }
}
