import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// Codes of ints, bools, dates, links and doubles, of parts of dates, of the ranges that ints and doubles lie in, and of values
/// behind links.
final class NumberEncoding: ValueEncoding {
    /// The meaning of the numbers.
    enum Form {
        /// Values as columns have them.
        case whole(ElementStorage)
        case part(NumberPart)
        case far(LinkedColumn)
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

    func makePart() -> NumberEncoding {
        // A part of dates reads a clock that is one thread's.
        guard case .part(let part) = form, let own = NumberPart(part.key) else {
            return NumberEncoding(form)
        }
        return NumberEncoding(.part(own))
    }

    var count: Int { table.count }

    var byteCount: Int { table.byteCount + near.count * 4 }

    /// The number of a code; nil for null, which has a number behind links.
    func number(_ code: Int) -> Int64? {
        if case .far = form { return table.values[code] }
        return nullCode == UInt32(truncatingIfNeeded: code) ? nil : table.values[code]
    }

    @inline(never)
    private func codeOfNull() -> UInt32 {
        if let nullCode { return nullCode }
        let code =
            if case .far(let far) = form {
                table.code(of: far.number(of: nil))
            } else {
                table.codeOfNothing(0)
            }
        nullCode = code
        return code
    }

    /// The code of a number, or of null.
    private func code(of number: Int64?) -> UInt32 {
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
        if case .far(let far) = form, Self.near(far.links.lowerBound, far.links.upperBound) == nil {
            far.read(chunk, positions, into: values.start)
            for index in positions.indices { codes[index] = table.code(of: values.start[index]) }
            return
        }
        guard let chunk = chunk as? NumberChunk else {
            return codes.update(repeating: codeOfNull(), count: positions.count)
        }
        chunk.read(positions, into: values.start)
        var range: ClosedRange<Int64>? = chunk.least...chunk.greatest
        let numbers = UnsafeMutableBufferPointer(start: values.start, count: positions.count)
        var near = Self.near(chunk.least, chunk.greatest)
        switch form {
        case .whole: break
        case .part(let part):
            range = part.makeSteps(of: numbers, in: chunk)
            near = range.flatMap { Self.near($0.lowerBound, $0.upperBound) }
        case .far(let far): near = far.links
        }
        if near == nil, range != nil {
            for index in numbers.indices { numbers[index] = coded(numbers[index]) }
        }
        encode(chunk.nulls, positions, within: near, into: codes)
    }

    /// Sets the codes of the numbers that were read.
    ///
    /// - `range`: Their range, if they lie close together; otherwise they are the coded values.
    private func encode(
        _ nulls: UnsafePointer<UInt8>?, _ positions: UnsafeBufferPointer<Int32>,
        within range: ClosedRange<Int64>?, into codes: UnsafeMutablePointer<UInt32>
    ) {
        func isNull(_ index: Int) -> Bool { nulls?[Int(positions[index])] ?? 0 != 0 }
        guard let range else {
            for index in positions.indices {
                codes[index] = isNull(index) ? codeOfNull() : table.code(of: values.start[index])
            }
            return
        }
        makeNear(range)
        let (first, values, nullCode) = (nearFirst, values.start, nullCode ?? .max)
        // Nearly all are known. Codes that are not are made afterwards, in the order of positions.
        let isKnown = near.withUnsafeBufferPointer { near in
            var greatest: UInt32 = 0
            for index in positions.indices {
                let isNull = isNull(index)
                let distance = isNull ? 0 : Int(truncatingIfNeeded: values[index] &- first)
                codes[index] = isNull ? nullCode : near[distance]
                greatest = max(greatest, codes[index])
            }
            return greatest < .max
        }
        if isKnown { return }
        for index in positions.indices where codes[index] == .max {
            codes[index] = isNull(index) ? codeOfNull() : codeOfNear(values[index])
        }
    }

    private func codeOfNear(_ number: Int64) -> UInt32 {
        let distance = Int(truncatingIfNeeded: number &- nearFirst)
        if near[distance] == .max { near[distance] = table.code(of: coded(number)) }
        return near[distance]
    }

    /// The number that is coded for one that was read.
    private func coded(_ number: Int64) -> Int64 {
        switch form {
        case .part(let part): part.part(number)
        case .whole(.double), .whole(.float): ColumnNumber.withOneZero(number)
        case .whole: number
        case .far(let far): far.number(of: number)
        }
    }

    /// Has ``near`` stand for a range, and for what it stood for where both lie close together: the values of one chunk lie
    /// about where the values of the others do.
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

    func codes(_ codes: [UInt32], of other: NumberEncoding) -> [UInt32] {
        codes.map { code(of: other.number(Int($0))) }
    }

    var narrows: Bool {
        if case .whole(let storage) = form { storage != .link } else { false }
    }

    func kernel(upTo code: Int) -> ColumnKernel? {
        guard narrows else { return nil }
        guard let number = number(code) else { return .null }
        return ColumnKernel(
            FixedTest(false, nullResult: true), .numbers(.min...number, isInside: true))
    }

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
