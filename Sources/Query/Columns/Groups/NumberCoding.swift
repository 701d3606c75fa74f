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
    private let table = CodeTable<Int64>()
    private var nullCode: UInt32?
    /// The codes of numbers that lie close together, by their distance from ``nearFirst``.
    private var near: [UInt32] = []
    private var nearFirst: Int64 = 0
    private let values = BatchRoom<Int64>()

    /// Numbers that lie no farther apart are looked up by their distance.
    private static let nearCountMax: UInt64 = 1 << 16

    init(_ form: Form) { self.form = form }

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
        nullCode == UInt32(truncatingIfNeeded: code) ? nil : table.values[code]
    }

    private func codeOfNull() -> UInt32 {
        let code = nullCode ?? table.codeOfNothing(0)
        nullCode = code
        return code
    }

    /// The code of a number, or of null.
    func code(of number: Int64?) -> UInt32 {
        number.map { table.code(of: $0) } ?? codeOfNull()
    }

    /// The numbers from one to another; nil where they lie too far apart to be looked up by their distance.
    private static func near(_ first: Int64, _ last: Int64) -> ClosedRange<Int64>? {
        UInt64(bitPattern: last &- first) < nearCountMax ? first...last : nil
    }

    func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {
        if case .far(let far) = form {
            far.read(chunk, positions, into: values.start)
            // Null has a number as well.
            encode(nil, positions, within: Self.near(0, Int64(far.count - 1)), into: codes)
            return
        }
        guard let chunk = chunk as? NumberChunk else {
            return codes.update(repeating: codeOfNull(), count: positions.count)
        }
        chunk.read(positions, into: values.start)
        encode(
            chunk.nulls, positions,
            within: isWhole ? Self.near(chunk.least, chunk.greatest) : nil, into: codes)
    }

    /// Whether the numbers that are read are those that are coded.
    private var isWhole: Bool {
        if case .whole(let storage) = form { !ColumnForm.hasNaN(storage) } else { false }
    }

    /// Sets the codes of the numbers that were read.
    ///
    /// - `range`: Where they lie, if that is close together.
    private func encode(
        _ nulls: UnsafePointer<UInt8>?, _ positions: UnsafeBufferPointer<Int32>,
        within range: ClosedRange<Int64>?, into codes: UnsafeMutablePointer<UInt32>
    ) {
        if let range { makeNear(range) }
        let (isNear, first, form) = (range != nil, nearFirst, form)
        near.withUnsafeMutableBufferPointer { near in
            for index in 0..<positions.count {
                if let nulls, nulls[Int(positions[index])] != 0 {
                    codes[index] = codeOfNull()
                    continue
                }
                guard isNear else {
                    codes[index] = table.code(of: Self.coded(values.start[index], form))
                    continue
                }
                let distance = Int(truncatingIfNeeded: values.start[index] &- first)
                if near[distance] == .max { near[distance] = table.code(of: values.start[index]) }
                codes[index] = near[distance]
            }
        }
    }

    /// The number that is coded for one that was read.
    @inline(__always)
    private static func coded(_ number: Int64, _ form: Form) -> Int64 {
        switch form {
        case .part(let part): part.part(number)
        // Both zeros are one value.
        case .whole(.double), .whole(.float): number == -1 ? 0 : number
        case .whole, .far: number
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
        if storage == .link {
            return UInt64(bitPattern: first) < UInt64(bitPattern: second) ? -1 : 1
        }
        return first < second ? -1 : 1
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
        ColumnNumber.withStored(number, storage) { address, _ in
            Ordinal.appendKey(Ordinal.stored(address, storage), storage, to: buffer)
        }
    }
}
