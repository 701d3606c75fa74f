import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Codes of ints, bools, dates, links and doubles, of parts of dates, of the ranges that ints and doubles lie in, and of values
/// behind links.
final class NumberCoding: ValueCoding {
    /// The meaning of the numbers.
    enum Form {
        /// Values as columns have them.
        case whole(ElementStorage)
        case part(NumberPart)
        case far(FarValues)
    }

    private let form: Form
    private let table = CodeTable()
    private var nullCode: UInt32?
    /// The codes of numbers that lie close together, by their distance from ``nearFirst``.
    private var near: [UInt32] = []
    private var nearFirst: Int64 = 0
    private let values = UnsafeMutablePointer<Int64>.allocate(capacity: ColumnBatch.countMax)

    /// Numbers that lie no farther apart are looked up by their distance.
    private static let nearCountMax: UInt64 = 1 << 16

    init(_ form: Form) { self.form = form }

    deinit { values.deallocate() }

    func makePart() -> NumberCoding {
        // A part of dates reads a clock that is one thread's.
        guard case .part(let part) = form, let own = NumberPart(part.key) else {
            return NumberCoding(form)
        }
        return NumberCoding(.part(own))
    }

    var count: Int { table.count }

    var byteCount: Int { table.byteCount + near.count * 4 }

    /// The number of a code; nil for null.
    func number(_ code: Int) -> Int64? {
        nullCode == UInt32(truncatingIfNeeded: code) ? nil : table.numbers[code]
    }

    private func codeOfNull() -> UInt32 {
        let code = nullCode ?? table.codeOfNothing()
        nullCode = code
        return code
    }

    /// The code of a number, or of null.
    func code(of number: Int64?) -> UInt32 {
        number.map { table.code(of: $0) } ?? codeOfNull()
    }

    /// Reads the numbers at some positions, or others that ``NumberPart/meaning(of:)`` makes numbers of; what stands for null
    /// is not to be used.
    ///
    /// - Returns: Between which they lie, where that is close together; else the numbers were read.
    private func read(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>
    ) -> ClosedRange<Int64>? {
        switch form {
        case .whole: return chunk.flatMap { Self.read($0, positions, into: values) }
        case .part(let part): return chunk.flatMap { part.read($0, positions, into: values) }
        case .far(let far):
            far.read(chunk, positions, into: values)
            return Self.near(0, Int64(far.count - 1))
        }
    }

    /// Reads whole values, in the same way.
    static func read(
        _ chunk: ColumnChunk, _ positions: UnsafeBufferPointer<Int32>,
        into values: UnsafeMutablePointer<Int64>
    ) -> ClosedRange<Int64>? {
        if let chunk = chunk as? NumberChunk {
            chunk.read(positions, into: values)
            return near(chunk.least, chunk.greatest)
        }
        guard let chunk = chunk as? DoubleChunk else { return nil }
        for index in 0..<positions.count {
            values[index] = number(chunk.value(Int(positions[index])))
        }
        return nil
    }

    /// The number of a double: one for both zeros.
    @inline(__always)
    static func number(_ value: Double) -> Int64 {
        Int64(bitPattern: OrderedKey.orderedBits(value))
    }

    /// The numbers from one to another; nil where they lie too far apart to be looked up by their distance.
    static func near(_ first: Int64, _ last: Int64) -> ClosedRange<Int64>? {
        UInt64(bitPattern: last &- first) < nearCountMax ? first...last : nil
    }

    func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        var nulls = chunk?.nulls
        if case .far = form {
            // Null has a number as well.
            nulls = nil
        } else if chunk == nil {
            for index in 0..<positions.count { codes[index] = codeOfNull() }
            return
        }
        if let range = read(chunk, positions) {
            return encodeNear(nulls, positions, range, into: codes)
        }
        for index in 0..<positions.count {
            if let nulls, nulls[Int(positions[index])] != 0 {
                codes[index] = codeOfNull()
            } else {
                codes[index] = table.code(of: values[index])
            }
        }
    }

    private func encodeNear(
        _ nulls: UnsafePointer<UInt8>?, _ positions: UnsafeBufferPointer<Int32>,
        _ range: ClosedRange<Int64>, into codes: UnsafeMutablePointer<UInt32>
    ) {
        makeNear(range)
        let first = nearFirst
        near.withUnsafeMutableBufferPointer { near in
            for index in 0..<positions.count {
                if let nulls, nulls[Int(positions[index])] != 0 {
                    codes[index] = codeOfNull()
                    continue
                }
                let distance = Int(truncatingIfNeeded: values[index] &- first)
                if near[distance] == .max {
                    var value = values[index]
                    if case .part(let part) = form { value = part.meaning(of: value) }
                    near[distance] = table.code(of: value)
                }
                codes[index] = near[distance]
            }
        }
    }

    /// Has ``near`` stand for a range, and for what it stood for where both lie close together: the values of one chunk lie
    /// about where those of the others do.
    private func makeNear(_ range: ClosedRange<Int64>) {
        var wanted = range
        if !near.isEmpty {
            let first = min(range.lowerBound, nearFirst)
            let last = max(range.upperBound, nearFirst &+ Int64(near.count - 1))
            wanted = Self.near(first, last) ?? range
            if wanted.lowerBound == nearFirst, wanted.count == near.count { return }
        }
        near = [UInt32](repeating: .max, count: wanted.count)
        nearFirst = wanted.lowerBound
    }

    func code(_ code: Int, of other: NumberCoding) -> UInt32 { self.code(of: other.number(code)) }

    func order(_ a: Int, _ b: Int) -> Int? {
        guard let first = number(a), let second = number(b) else { return nil }
        if first == second { return 0 }
        return switch storage {
        case .double, .float, .link:
            UInt64(bitPattern: first) < UInt64(bitPattern: second) ? -1 : 1
        default: first < second ? -1 : 1
        }
    }

    /// The storage of the values; that of ints for numbers of values behind links, which are in their order.
    private var storage: ElementStorage {
        switch form {
        case .whole(let storage): storage
        case .part(let part): part.storage
        case .far: .int
        }
    }

    func append(_ code: Int, to buffer: ByteBuffer) {
        guard let number = number(code) else { return OrderedKey.appendNull(to: buffer) }
        if case .far(let far) = form { return buffer.append(far[Int(number)]) }
        buffer.append(1 as UInt8)
        let bits = UInt64(bitPattern: number)
        switch storage {
        case .bool: buffer.append(UInt8(truncatingIfNeeded: number))
        case .date:
            let time = ColumnNumber.timestamp(number)
            buffer.append(big: UInt64(bitPattern: time.seconds) ^ 1 << 63)
            buffer.append(big: UInt32(bitPattern: time.nanoseconds))
        case .float:
            buffer.append(big: OrderedKey.orderedBits(Float(ComparedValue.double(bits))))
        case .double, .link: buffer.append(big: bits)
        default: buffer.append(big: bits ^ 1 << 63)
        }
    }
}
