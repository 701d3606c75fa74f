import Rows

/// One property to sort by, as its column has it: an order of numbers instead of encoded keys.
package final class ColumnOrder {
    /// An object's position in the order: by value, turned round where values fall, so that smaller comes first, then by key.
    package struct RankedKey: Comparable, Sendable {
        /// The value's ordinal above 1 << 64, or 0 for null; inverted for falling order.
        package var rank: UInt128
        /// The object key.
        package var key: UInt64

        package static func < (a: RankedKey, b: RankedKey) -> Bool {
            a.rank == b.rank ? a.key < b.key : a.rank < b.rank
        }
    }

    /// The column.
    package let reference: ColumnReference
    private let storage: ElementStorage
    private let isAscending: Bool
    private var column: [ColumnChunk?] = []

    /// Makes an order of a property of fixed width of the class itself; nil for any other.
    package init?(_ sort: [SortKey], schema: RowSchema) {
        guard sort.count == 1, let key = sort.first, key.path.steps.isEmpty,
            case .value(let member) = key.path.terminal, key.path.lastClass >= 0
        else { return nil }
        storage = key.path.type.storage
        switch storage {
        case .int, .bool, .double, .float: break
        default: return nil
        }
        isAscending = key.isAscending
        reference = ColumnReference(classIndex: key.path.lastClass, member: member)
    }

    /// Takes the column of a snapshot.
    package func bind(to columns: BoundColumns) { column = columns.column(reference) }

    /// The ranked key of an object.
    package func rankedKey(_ chunk: Int, _ position: Int) -> RankedKey {
        RankedKey(
            rank: turned(rank(column[chunk], position)),
            key: UInt64(chunk << ColumnChunk.keyCountLog2 + position))
    }

    private func turned(_ rank: UInt128) -> UInt128 { isAscending ? rank : ~rank }

    private func rank(_ chunk: ColumnChunk?, _ position: Int) -> UInt128 {
        guard let chunk, chunk.nulls?[position] != 1 else { return 0 }
        // NaN, the one exception of these types, comes before all numbers.
        var ordinal: UInt64 = 0
        if chunk.exceptions?[position] != 1 {
            if let chunk = chunk as? NumberChunk {
                ordinal = UInt64(bitPattern: chunk.value(position)) ^ 1 << 63
            } else if let chunk = chunk as? DoubleChunk {
                ordinal = OrderedKey.orderedBits(chunk.value(position))
            }
        }
        return 1 << 64 | UInt128(ordinal)
    }

    /// The ranked key that a query's position names; nil when its bytes are no value of the property.
    package func rankedKey(sortBytes: [UInt8], key: UInt64) -> RankedKey? {
        let bytes = isAscending ? sortBytes : sortBytes.map { ~$0 }
        if bytes == [0] { return RankedKey(rank: turned(0), key: key) }
        guard bytes.first == 1, bytes.count == 1 + (storage.fixedByteCount ?? 0) else {
            return nil
        }
        let value = bytes.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let ordinal: UInt64
        switch storage {
        case .bool: ordinal = value ^ 1 << 63
        case .float:
            let float = ComparedValue.float(UInt32(truncatingIfNeeded: value))
            ordinal = OrderedKey.orderedBits(Double(float))
        default: ordinal = value
        }
        return RankedKey(rank: turned(1 << 64 | UInt128(ordinal)), key: key)
    }

    /// Removes from a chunk's result the objects that certainly come after a ranked key.
    package func narrow(_ chunk: Int, _ frame: ColumnFrame, before worst: RankedKey) {
        guard chunk < column.count, let chunk = column[chunk] else { return }
        let rank = turned(worst.rank)
        let isNull = rank == 0
        // Rising, null comes first; falling, it comes last.
        let nullResult = isAscending || isNull
        let ordinal = UInt64(truncatingIfNeeded: rank)
        let form: ColumnKernel.Form
        if isNull {
            form = .fixed(!isAscending)
        } else if chunk is NumberChunk {
            let bound = Int64(bitPattern: ordinal ^ 1 << 63)
            form = .numbers(isAscending ? .min...bound : bound...(.max), isInside: true)
        } else {
            guard ordinal != 0 else { return }
            let bound = ComparedValue.double(ordinal)
            form = .doubles(
                isAscending ? -.infinity...bound : bound...(.infinity), isInside: true)
        }
        let kernel = ColumnKernel(FixedTest(false, nullResult: nullResult), form)
        frame.withSpare { mask in
            chunk.evaluate(kernel, into: mask)
            if let exceptions = chunk.exceptions {
                ColumnMask.or(mask, exceptions, ColumnChunk.keyCount)
            }
            ColumnMask.and(frame.mask, mask, ColumnChunk.keyCount)
        }
    }
}
