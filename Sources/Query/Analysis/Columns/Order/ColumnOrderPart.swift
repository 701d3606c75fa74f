import HoldfastBytes
import HoldfastRows

/// One of the properties of a ``ColumnOrder``: of the class itself, or behind to-one links. One thread at a time uses it.
final class ColumnOrderPart {
    let reference: ColumnReference
    private let storage: ElementStorage
    private let isAscending: Bool
    /// The values behind links, where these count.
    let far: LinkedColumn?
    /// The ranks of these by their numbers, and how many bytes they have.
    private var farRanks: [(rank: UInt128, byteCount: Int)] = []
    private let numbers = BatchRoom<Int64>()
    private let buffer = ByteBuffer(capacity: 64)
    private var column: [ColumnChunk?] = []

    /// Nil for a property that columns do not keep.
    init?(_ key: SortKey, schema: RowSchema) {
        storage = key.path.type.storage
        isAscending = key.isAscending
        far = LinkedColumn(key.path, schema: schema)
        if let far {
            reference = far.reference
            return
        }
        guard let member = key.path.ownMember, key.path.lastClass >= 0, storage != .link,
            ColumnForm(FieldStorage(.single, storage)) != nil
        else { return nil }
        reference = ColumnReference(classIndex: key.path.lastClass, member: member)
    }

    /// Bytes of memory that is taken beside the column.
    var byteCount: Int { (far?.byteCount ?? 0) + 32 * farRanks.count }

    /// Whether a rank that it comes first in has all its sort bytes.
    var isWholeInRank: Bool { far == nil && !ColumnForm.isText(storage) }

    /// Takes the column of a snapshot; false where an object has a value that is not in it, or there is too little memory or
    /// time.
    func bind(to columns: BoundColumns, within budget: Budget) -> Bool {
        column = columns.column(reference)
        if let far {
            guard far.bind(to: columns, within: budget) else { return false }
            farRanks = (0..<far.count).map { number in
                appendFar(number)
                return (SortEntry.rank(of: buffer.bytes), buffer.count)
            }
            return true
        }
        return ColumnForm.hasNaN(storage) || !column.contains { $0?.exceptions != nil }
    }

    private func chunk(_ index: Int) -> ColumnChunk? { index < column.count ? column[index] : nil }

    // MARK: Ranks

    /// The bits of a value of fixed width in sort bytes, behind the byte that says that there is one.
    private var valueBits: UInt128 { Self.valueBits(storage) }

    @inline(__always)
    private static func valueBits(_ storage: ElementStorage) -> UInt128 {
        switch storage {
        case .bool: 8
        case .float: 32
        case .date: 96
        default: 64
        }
    }

    /// Appends the sort bytes of some objects' values to their ranks, as far as there is room.
    ///
    /// - `isFirst`: Whether there is nothing in the ranks.
    func appendRanks(_ batch: ColumnBatch, to ranks: SortRanks, isFirst: Bool) {
        let chunk = chunk(batch.chunk)
        if let far {
            far.read(chunk, batch.positions, into: numbers.start)
            farRanks.withUnsafeBufferPointer { farRanks in
                for index in batch.positions.indices {
                    // Their direction is in them.
                    let (rank, byteCount) = farRanks[Int(numbers.start[index])]
                    ranks.append(rank, byteCount, at: index, isFirst: isFirst)
                }
            }
            return
        }
        // Kinds are written out: shifts by the width of each are known when this is compiled.
        if let numbers = chunk as? NumberChunk {
            switch storage {
            case .bool:
                append(batch, of: numbers, .bool, to: ranks, isFirst) { UInt128($0) }
            case .date:
                append(batch, of: numbers, .date, to: ranks, isFirst) {
                    let time = ColumnNumber.timestamp($0)
                    return UInt128(UInt64(bitPattern: time.seconds) ^ 1 << 63) << 32
                        | UInt128(UInt32(bitPattern: time.nanoseconds))
                }
            case .float:
                append(batch, of: numbers, .float, to: ranks, isFirst) {
                    UInt128(OrderedKey.orderedBits(Float(ColumnNumber.double($0))))
                }
            case .double:
                append(batch, of: numbers, .double, to: ranks, isFirst) {
                    UInt128(UInt64(bitPattern: ColumnNumber.withOneZero($0)) ^ 1 << 63)
                }
            default:
                append(batch, of: numbers, .int, to: ranks, isFirst) {
                    UInt128(UInt64(bitPattern: $0) ^ 1 << 63)
                }
            }
        } else {
            append(batch, of: chunk as? TextChunk, to: ranks, isFirst)
        }
    }

    /// The rank of null: one byte.
    private var nullRank: UInt128 { isAscending ? 0 : SortRanks.inverted(0, 1) }

    /// - `storage`: One of the width of the numbers.
    /// - `bits`: The bits of a number; NaN has no bits here.
    @inline(__always)
    private func append(
        _ batch: ColumnBatch, of chunk: NumberChunk, _ storage: ElementStorage, to ranks: SortRanks,
        _ isFirst: Bool, bits: (Int64) -> UInt128
    ) {
        let valueBits = Self.valueBits(storage)
        let byteCount = 1 + Int(valueBits / 8)
        let turned = isAscending ? 0 : SortRanks.inverted(0, byteCount)
        let (nulls, exceptions, nullRank) = (chunk.nulls, chunk.exceptions, nullRank)
        let numbers = numbers.start
        chunk.read(batch.positions, into: numbers)
        for index in batch.positions.indices {
            let position = Int(batch.positions[index])
            if nulls?[position] ?? 0 != 0 {
                ranks.append(nullRank, 1, at: index, isFirst: isFirst)
                continue
            }
            let own = exceptions?[position] ?? 0 != 0 ? 0 : bits(numbers[index])
            ranks.append(
                (1 &<< valueBits | own) &<< (120 &- valueBits) ^ turned, byteCount, at: index,
                isFirst: isFirst)
        }
    }

    private func append(
        _ batch: ColumnBatch, of chunk: TextChunk?, to ranks: SortRanks, _ isFirst: Bool
    ) {
        let isText = storage == .string || storage == .data
        for (index, position) in batch.positions.enumerated() {
            guard let chunk, chunk.nulls?[Int(position)] ?? 0 == 0 else {
                ranks.append(nullRank, 1, at: index, isFirst: isFirst)
                continue
            }
            var value = chunk.text(Int(position))
            if isText, value.count > SortEntry.rankByteCount {
                // The rest does not fit into a rank.
                value = UnsafeRawBufferPointer(rebasing: value[..<SortEntry.rankByteCount])
            }
            buffer.removeAll()
            OrderedKey.append(stored: value, element: storage, to: buffer)
            let rank = SortEntry.rank(of: buffer.bytes)
            ranks.append(
                isAscending ? rank : SortRanks.inverted(rank, buffer.count), buffer.count,
                at: index, isFirst: isFirst)
        }
    }

    // MARK: Sort bytes

    /// Appends the sort bytes of the value at a position.
    func append(_ position: Int, of chunkIndex: Int, to buffer: ByteBuffer) {
        let chunk = chunk(chunkIndex)
        if let far {
            appendFar(far.number(at: position, of: chunk))
            return buffer.append(self.buffer.bytes)
        }
        let start = buffer.count
        if let chunk, chunk.nulls?[position] ?? 0 == 0 {
            if chunk.exceptions?[position] == 1 {
                buffer.append(1 as UInt8)
                buffer.appendZeros(Int(valueBits / 8))
            } else {
                chunk.withStored(position) { address, count in
                    OrderedKey.append(
                        stored: UnsafeRawBufferPointer(start: address, count: count),
                        element: storage, to: buffer)
                }
            }
        } else {
            OrderedKey.appendNull(to: buffer)
        }
        if !isAscending { SortEvaluator.invert(from: start, in: buffer) }
    }

    /// Sets ``buffer`` to the sort bytes of a value behind links.
    private func appendFar(_ number: Int) {
        buffer.removeAll()
        if let far { buffer.append(far[number]) }
        if !isAscending { SortEvaluator.invert(from: 0, in: buffer) }
    }

    // MARK: Narrowing

    /// Removes from a chunk's result the objects that certainly come after all objects of a rank, if this follows from ranges of
    /// numbers, of values or of values behind links.
    func narrow(_ chunkIndex: Int, _ frame: ColumnFrame, upTo rank: UInt128) {
        if let far {
            let end = partitionPoint(far.count) { (farRanks[$0].rank <= rank) == isAscending }
            let numbers = isAscending ? 0..<end : end..<far.count
            return frame.narrow { far.evaluate(numbers, chunk(chunkIndex), into: $0) }
        }
        guard !ColumnForm.isText(storage), let chunk = chunk(chunkIndex) else { return }
        let rank = isAscending ? rank : ~rank
        guard rank >> 120 == 1 else { return }
        let bits = (rank >> (120 - valueBits)) & (1 << valueBits - 1)
        let ordinals = isAscending ? 0...bits : bits...(1 << valueBits - 1)
        guard let range = ColumnNumber.range(ordinals, storage) else { return }
        frame.narrow { mask in
            // Rising, null comes first; falling, it comes last.
            let test = FixedTest(false, nullResult: isAscending)
            chunk.evaluate(ColumnKernel(test, .numbers(range, isInside: true)), into: mask)
            if let exceptions = chunk.exceptions {
                ColumnMask.or(mask, exceptions, ColumnChunk.keyCount)
            }
        }
    }
}
