import Bytes
import Rows

/// Codes of ints, bools, dates, links and doubles.
class NumberGroupCoder: GroupCoder {
    private let storage: ElementStorage
    private let table = CodeTable()
    private var nullCode: UInt32?
    /// The codes of numbers that lie close together, by their distance from ``nearFirst``.
    private var near: [UInt32] = []
    private var nearFirst: Int64 = 0
    private let values = UnsafeMutablePointer<Int64>.allocate(capacity: ColumnBatch.countMax)

    /// Numbers that lie no farther apart are looked up by their distance.
    private static let nearCountMax: UInt64 = 1 << 16

    init(_ reference: ColumnReference, _ storage: ElementStorage) {
        self.storage = storage
        super.init(reference)
    }

    deinit { values.deallocate() }

    override func makePart() -> GroupCoder { NumberGroupCoder(reference, storage) }

    final override var count: Int { table.count }

    final override var byteCount: Int { table.byteCount + near.count * 4 }

    /// The number of a code; nil for null.
    final func number(_ code: Int) -> Int64? {
        nullCode == UInt32(truncatingIfNeeded: code) ? nil : table.numbers[code]
    }

    private func codeOfNull() -> UInt32 {
        let code = nullCode ?? table.codeOfNothing()
        nullCode = code
        return code
    }

    /// The code of a number, or of null.
    final func code(of number: Int64?) -> UInt32 {
        number.map { table.code(of: $0) } ?? codeOfNull()
    }

    /// Reads the numbers at some positions, or others that ``meaning(of:)`` makes numbers of; what stands for null is not
    /// to be used.
    ///
    /// - Returns: Between which they lie, where that is close together; else the numbers were read.
    func read(
        _ chunk: ColumnChunk, _ positions: UnsafeBufferPointer<Int32>,
        into values: UnsafeMutablePointer<Int64>
    ) -> ClosedRange<Int64>? {
        if let chunk = chunk as? NumberChunk {
            chunk.read(positions, into: values)
            return Self.near(chunk.least, chunk.greatest)
        }
        guard let chunk = chunk as? DoubleChunk else { return nil }
        for index in 0..<positions.count {
            values[index] = Self.number(chunk.value(Int(positions[index])))
        }
        return nil
    }

    /// The number that is meant by what ``read(_:_:into:)`` read.
    func meaning(of value: Int64) -> Int64 { value }

    /// The number of a double: one for both zeros.
    @inline(__always)
    static func number(_ value: Double) -> Int64 {
        Int64(bitPattern: OrderedKey.orderedBits(value))
    }

    /// The numbers from one to another; nil where they lie too far apart to be looked up by their distance.
    static func near(_ first: Int64, _ last: Int64) -> ClosedRange<Int64>? {
        UInt64(bitPattern: last &- first) < nearCountMax ? first...last : nil
    }

    final override func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        guard let chunk else {
            for index in 0..<positions.count { codes[index] = codeOfNull() }
            return
        }
        if let range = read(chunk, positions, into: values) {
            encodeNear(chunk, positions, range, into: codes)
            return
        }
        for index in 0..<positions.count {
            if let nulls = chunk.nulls, nulls[Int(positions[index])] != 0 {
                codes[index] = codeOfNull()
            } else {
                codes[index] = table.code(of: values[index])
            }
        }
    }

    private func encodeNear(
        _ chunk: ColumnChunk, _ positions: UnsafeBufferPointer<Int32>, _ range: ClosedRange<Int64>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        makeNear(range)
        let first = nearFirst
        near.withUnsafeMutableBufferPointer { near in
            for index in 0..<positions.count {
                if let nulls = chunk.nulls, nulls[Int(positions[index])] != 0 {
                    codes[index] = codeOfNull()
                    continue
                }
                let distance = Int(truncatingIfNeeded: values[index] &- first)
                if near[distance] == .max {
                    near[distance] = table.code(of: meaning(of: values[index]))
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

    final override func codes(of part: GroupCoder) -> [UInt32] {
        guard let part = part as? NumberGroupCoder else { return [] }
        return (0..<part.count).map { code in
            self.code(of: part.number(code))
        }
    }

    final override func order(_ a: Int, _ b: Int) -> Int {
        guard let first = number(a), let second = number(b) else { return super.order(a, b) }
        if first == second { return 0 }
        return switch storage {
        case .double, .float, .link:
            UInt64(bitPattern: first) < UInt64(bitPattern: second) ? -1 : 1
        default: first < second ? -1 : 1
        }
    }

    override func append(_ code: Int, to buffer: ByteBuffer) {
        guard let number = number(code) else { return OrderedKey.appendNull(to: buffer) }
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
