import HoldfastBytes
import HoldfastRows

/// Values behind a to-one link, read once for each object that is linked to: a number for each different one, in their order; for
/// each object, where values that are packed may be equal and written differently (1.5, 1.50).
/// One thread binds them; any number of threads read their numbers afterwards.
final class LinkedColumn: @unchecked Sendable {
    // Unchecked: other threads only read values that were set before they came.

    let reference: ColumnReference
    /// The class of the objects that have the values.
    let linkedClass: Int
    private let walker: PathWalker
    /// Makes the sort bytes of the values, or of the parts that count.
    private let sink: GroupKeySink
    /// Packs the values, where they are calculated with.
    private let packer: RowPacker?
    /// Whether equal values may be written differently, and are packed.
    private let packsEach: Bool
    /// The numbers of the values, by slot: first the number of null, then of the links' keys by their distance from ``base``.
    private var numbers: [UInt32] = [0]
    private var base: Int64 = 0
    private let bytes = ByteBuffer(capacity: 1024)
    /// Where the sort bytes of the values stand in ``bytes``, by number.
    private var ranges: [Range<Int>] = []
    /// The values by number, where they are packed.
    private(set) var chunk: ColumnChunk?

    /// - `part`: The part of the values that counts.
    /// - `packing`: The way in which values are packed to be calculated with; nil where they are only told apart.
    ///
    /// Nil for a path that does not begin with a to-one link, leads to several values, or has one where the link is null.
    init?(
        _ path: ValuePath, part: GroupKey.Part = .value, packing: RowPacker.Form? = nil,
        schema: RowSchema
    ) {
        guard let step = path.steps.first, step.kind == .link, !path.isMany else { return nil }
        switch path.terminal {
        case .value, .elementAt, .byteCount, .byteCountAt: break
        default: return nil
        }
        let far = path.behind(1)
        reference = ColumnReference(classIndex: step.fromClass, member: step.member)
        linkedClass = step.toClass
        walker = PathWalker(far, schema: schema)
        sink = GroupKeySink(GroupKey(path: far, part: part))
        packer = packing.map { RowPacker(far, $0, schema: schema) }
        packsEach =
            packing != nil
            && [ElementStorage.decimal, .mixed, .double, .float].contains(path.type.storage)
    }

    /// How many different values there are.
    var count: Int { ranges.count }

    /// Bytes of memory that they take.
    var byteCount: Int {
        bytes.count + 4 * numbers.count + 16 * ranges.count + (chunk?.totalByteCount ?? 0)
    }

    private static let stepsOfRow = 32

    /// Reads the values of a snapshot.
    ///
    /// - Returns: False when there is too little memory or time.
    func bind(to columns: BoundColumns, within budget: Budget) -> Bool {
        let byteCountMax = budget.memoryByteCountMax / 4
        let chunks = columns.column(reference).compactMap { $0 as? NumberChunk }
        guard mark(chunks, byteCountMax: byteCountMax) else { return false }
        bytes.removeAll()
        var found: [(range: Range<Int>, slot: Int)] = []
        for slot in numbers.indices where slot == 0 || numbers[slot] != 0 {
            guard budget.spend(Self.stepsOfRow), bytes.count + 24 * found.count <= byteCountMax
            else { return false }
            let start = bytes.count
            append(slot, columns.source)
            found.append((start..<bytes.count, slot))
        }
        func order(_ a: Range<Int>, _ b: Range<Int>) -> Int {
            compareKeys(bytes(in: a), bytes(in: b))
        }
        let sorted = found.sorted(within: budget) { order($0.range, $1.range) < 0 }
        guard let sorted, sorted.count < 1 << 30 else { return false }
        ranges = []
        for (range, slot) in sorted {
            guard budget.spend(Self.stepsOfRow) else { return false }
            if packsEach || ranges.last.map({ order($0, range) != 0 }) ?? true {
                ranges.append(range)
                pack(slot, columns.source)
            }
            numbers[slot] = UInt32(ranges.count - 1)
        }
        chunk = packer?.seal()
        return byteCount <= byteCountMax
    }

    /// Marks the slots of all links; false where they need too much room.
    private func mark(_ chunks: [NumberChunk], byteCountMax: Int) -> Bool {
        numbers = [0]
        guard let least = chunks.map(\.least).min(), let greatest = chunks.map(\.greatest).max()
        else { return true }
        let (span, overflows) = greatest.subtractingReportingOverflow(least)
        guard !overflows, span < byteCountMax / 4 else { return false }
        base = least
        numbers = [UInt32](repeating: 0, count: Int(span) + 2)
        numbers.withUnsafeMutableBufferPointer { numbers in
            // Soon all are marked, where objects with links are more than objects that are linked to.
            var unmarked = 1
            for chunk in chunks {
                while unmarked < numbers.count, numbers[unmarked] != 0 { unmarked += 1 }
                if unmarked == numbers.count { break }
                chunk.forEachPlace(from: least) { numbers[$1] = 1 }
            }
        }
        return true
    }

    /// The object at a slot; nil without one.
    private func object(_ slot: Int, _ source: any ObjectSource) -> (key: UInt64, row: RowView)? {
        if slot == 0 { return nil }
        let key = UInt64(bitPattern: base + Int64(slot - 1))
        return source.row(classIndex: linkedClass, key: key).map { (key, $0) }
    }

    private func append(_ slot: Int, _ source: any ObjectSource) {
        source.withStep {
            guard let (key, row) = object(slot, source) else {
                return OrderedKey.appendNull(to: bytes)
            }
            sink.take(walker, row, key, source)
            sink.append(0, to: bytes)
        }
    }

    private func pack(_ slot: Int, _ source: any ObjectSource) {
        guard let packer else { return }
        source.withStep {
            if let (key, row) = object(slot, source) {
                packer.append(row, key, source)
            } else {
                packer.appendNull()
            }
        }
    }

    // MARK: Numbers

    /// Reads the numbers of the values behind the links at some positions of a chunk.
    func read(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into values: UnsafeMutablePointer<Int64>
    ) {
        guard let chunk = chunk as? NumberChunk else {
            return values.update(repeating: Int64(numbers[0]), count: positions.count)
        }
        chunk.read(positions, into: values)
        let (base, nulls) = (base, chunk.nulls)
        numbers.withUnsafeBufferPointer { numbers in
            for index in positions.indices {
                let isNull = nulls?[Int(positions[index])] ?? 0 != 0
                values[index] = Int64(numbers[isNull ? 0 : Int(values[index] &- base) &+ 1])
            }
        }
    }

    /// Sets the positions of a chunk to whether the numbers of the values behind their links lie in a range.
    func evaluate(
        _ range: Range<Int>, _ chunk: ColumnChunk?, into mask: UnsafeMutablePointer<UInt8>
    ) {
        guard let chunk = chunk as? NumberChunk else {
            return ColumnMask.fill(mask, ColumnChunk.keyCount, range.contains(Int(numbers[0])))
        }
        let first = UInt32(truncatingIfNeeded: range.lowerBound)
        let count = UInt32(truncatingIfNeeded: range.count)
        numbers.withUnsafeBufferPointer { numbers in
            chunk.forEachPlace(from: base) { mask[$0] = numbers[$1] &- first < count ? 1 : 0 }
        }
    }

    /// Between which keys the links lie.
    var links: ClosedRange<Int64> { base...base + Int64(max(numbers.count - 2, 0)) }

    /// The number of the value behind a link; that of null at nil.
    func number(of link: Int64?) -> Int64 { Int64(numbers[link.map { Int($0 - base) + 1 } ?? 0]) }

    /// The number of the value behind the link at a position of a chunk.
    func number(at position: Int, of chunk: ColumnChunk?) -> Int {
        guard let chunk = chunk as? NumberChunk, chunk.nulls?[position] ?? 0 == 0 else {
            return Int(number(of: nil))
        }
        return Int(number(of: chunk.value(position)))
    }

    /// The sort bytes of the value of a number.
    subscript(_ number: Int) -> UnsafeRawBufferPointer { bytes(in: ranges[number]) }

    private func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes.bytes[range])
    }
}
