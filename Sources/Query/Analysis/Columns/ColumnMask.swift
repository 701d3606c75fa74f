/// Loops over masks and packed values, written so that the compiler makes vector code of them.
enum ColumnMask {
    /// Sets all positions to one result.
    @inline(__always)
    static func fill(_ mask: UnsafeMutablePointer<UInt8>, _ count: Int, _ result: Bool) {
        mask.update(repeating: result ? 1 : 0, count: count)
    }

    /// Sets the positions with a cell within `first ... first + span`, or the others with `flip` 1.
    @inline(__always)
    static func range<Cell: FixedWidthInteger & UnsignedInteger>(
        _ memory: UnsafeMutableRawPointer, _ type: Cell.Type, _ count: Int, _ first: UInt64,
        _ span: UInt64, _ flip: UInt8, _ mask: UnsafeMutablePointer<UInt8>
    ) {
        let cells = UnsafePointer(memory.assumingMemoryBound(to: type))
        let first = Cell(truncatingIfNeeded: first)
        let span = Cell(truncatingIfNeeded: span)
        for position in 0..<count {
            mask[position] = (cells[position] &- first <= span ? 1 : 0) ^ flip
        }
    }

    /// Sets the positions with a cell of a value and leaves the others.
    @inline(__always)
    static func addEqual<Cell: FixedWidthInteger & UnsignedInteger>(
        _ memory: UnsafeMutableRawPointer, _ type: Cell.Type, _ count: Int, _ value: UInt64,
        _ mask: UnsafeMutablePointer<UInt8>
    ) {
        let cells = UnsafePointer(memory.assumingMemoryBound(to: type))
        let value = Cell(truncatingIfNeeded: value)
        for position in 0..<count { mask[position] |= cells[position] == value ? 1 : 0 }
    }

    /// Keeps the positions of both masks.
    static func and(
        _ mask: UnsafeMutablePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int
    ) {
        for position in 0..<count { mask[position] &= other[position] }
    }

    /// Adds the positions of another mask.
    static func or(
        _ mask: UnsafeMutablePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int
    ) {
        for position in 0..<count { mask[position] |= other[position] }
    }

    /// Inverts the positions of another mask.
    static func exclusiveOr(
        _ mask: UnsafeMutablePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int
    ) {
        for position in 0..<count { mask[position] ^= other[position] }
    }

    /// Turns every position round.
    static func invert(_ mask: UnsafeMutablePointer<UInt8>, _ count: Int) {
        for position in 0..<count { mask[position] ^= 1 }
    }

    /// How many positions are set.
    static func count(_ mask: UnsafePointer<UInt8>, _ count: Int) -> Int {
        typealias Vector = SIMD16<UInt8>
        let memory = UnsafeRawPointer(mask)
        var (position, total) = (0, 0)
        // As many additions as a byte takes.
        while position + Vector.scalarCount <= count {
            let last = min(count - Vector.scalarCount, position + 254 * Vector.scalarCount)
            var sums = Vector()
            while position <= last {
                sums &+= memory.loadUnaligned(fromByteOffset: position, as: Vector.self)
                position += Vector.scalarCount
            }
            total += Int(SIMD16<UInt16>(truncatingIfNeeded: sums).wrappedSum())
        }
        while position < count {
            total += Int(mask[position])
            position += 1
        }
        return total
    }

    /// The first set position at or after `start`; `count` without one.
    static func first(_ mask: UnsafePointer<UInt8>, from start: Int, _ count: Int) -> Int {
        var position = start
        let memory = UnsafeRawPointer(mask)
        while position + 8 <= count {
            let word = memory.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if word != 0 { return position + word.trailingZeroBitCount / 8 }
            position += 8
        }
        while position < count, mask[position] == 0 { position += 1 }
        return position
    }
}
