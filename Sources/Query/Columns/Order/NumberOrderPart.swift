import ObjectModel
import Rows

/// Ints, bools, dates, doubles and floats of the class itself. Rising, null has rank 0; of the others each kind has a way
/// that needs few bits.
final class NumberOrderPart: ColumnOrderPart {
    private let storage: ElementStorage

    /// Nil for any other property.
    init?(_ key: SortKey) {
        guard let member = key.path.ownMember, key.path.lastClass >= 0 else { return nil }
        storage = key.path.type.storage
        switch storage {
        case .int, .bool, .date, .double, .float: break
        default: return nil
        }
        super.init(
            ColumnReference(classIndex: key.path.lastClass, member: member),
            isAscending: key.isAscending)
    }

    private enum Form {
        /// Ordinals of doubles; 1 for NaN, which comes before all numbers. No number has one so small.
        case doubles
        /// Distances from the least of all ints; 1 is less than it, and the last rank more than the greatest.
        case near(least: UInt64)
        /// Ordinals of ints above 1 << 64.
        case ints
    }

    private var form = Form.ints

    override func bind(
        to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool
    ) -> Bool {
        guard super.bind(to: columns, byteCountMax: byteCountMax, isInTime: isInTime),
            storage != .date || !hasExceptions
        else { return false }
        let chunks = (0..<chunkCount).compactMap { chunk($0) as? NumberChunk }
        if storage == .double || storage == .float {
            (form, width) = (.doubles, 64)
        } else if let least = chunks.map(\.least).min().map(Self.ordinal),
            let greatest = chunks.map(\.greatest).max().map(Self.ordinal),
            greatest - least < 1 << 62
        {
            form = .near(least: least)
            width = UInt64.bitWidth - (greatest - least + 3).leadingZeroBitCount
        } else {
            (form, width) = (.ints, 65)
        }
        return true
    }

    private static func ordinal(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ 1 << 63 }

    /// The rank of a value in rising order.
    @inline(__always)
    private static func rank(ordinal: UInt64, _ form: Form, greatestRank: UInt128) -> UInt128 {
        switch form {
        case .doubles: UInt128(max(ordinal, 1))
        case .near(let least):
            ordinal < least ? 1 : min(greatestRank, UInt128(ordinal &- least) &+ 2)
        case .ints: 1 << 64 | UInt128(ordinal)
        }
    }

    override func appendRanks(
        _ batch: ColumnBatch, to ranks: UnsafeMutablePointer<UInt128>
    ) {
        let chunk = chunk(batch.chunk)
        if let numbers = chunk as? NumberChunk {
            appendRanks(batch, of: numbers, to: ranks) { Self.ordinal(numbers.value($0)) }
        } else if let doubles = chunk as? DoubleChunk {
            appendRanks(batch, of: doubles, to: ranks) { OrderedKey.orderedBits(doubles.value($0)) }
        } else {
            let null = turnedBits
            for index in batch.positions.indices {
                ranks[index] = ranks[index] &<< UInt128(width) | null
            }
        }
    }

    /// - `ordinal`: That of a number at a position.
    @inline(__always)
    private func appendRanks(
        _ batch: ColumnBatch, of chunk: ColumnChunk, to ranks: UnsafeMutablePointer<UInt128>,
        ordinal: (Int) -> UInt64
    ) {
        let (form, shift) = (form, UInt128(width))
        let (greatest, turnedBits) = (greatestRank, turnedBits)
        let (nulls, exceptions) = (chunk.nulls, chunk.exceptions)
        for (index, position) in batch.positions.enumerated() {
            let position = Int(position)
            var own: UInt128 = 0
            if nulls?[position] != 1 {
                // NaN is the one exception that there may be.
                let ordinal = exceptions?[position] == 1 ? 0 : ordinal(position)
                own = Self.rank(ordinal: ordinal, form, greatestRank: greatest)
            }
            ranks[index] = ranks[index] &<< shift | own ^ turnedBits
        }
    }

    override func rank(of sortBytes: ArraySlice<UInt8>) -> (rank: UInt128, byteCount: Int?)? {
        let count = 1 + (storage.fixedByteCount ?? 0)
        let bytes = sortBytes.prefix(count).map { isAscending ? $0 : ~$0 }
        if bytes.first == 0 { return (turnedBits, 1) }
        guard bytes.first == 1, bytes.count == count else { return nil }
        let value = bytes.dropFirst().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let ordinal: UInt64
        switch storage {
        case .date:
            let rest = bytes.dropFirst(9).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let time = Timestamp(
                seconds: Int64(bitPattern: value ^ 1 << 63), nanoseconds: Int32(bitPattern: rest))
            guard let number = ColumnNumber.nanoseconds(time) else { return nil }
            ordinal = Self.ordinal(number)
        case .bool: ordinal = value ^ 1 << 63
        case .float:
            let float = ComparedValue.float(UInt32(truncatingIfNeeded: value))
            ordinal = OrderedKey.orderedBits(Double(float))
        default: ordinal = value
        }
        let rank = Self.rank(ordinal: ordinal, form, greatestRank: greatestRank)
        return (rank ^ turnedBits, count)
    }

    override func narrow(
        _ chunk: ColumnChunk, _ frame: ColumnFrame, upTo rank: UInt128,
        into mask: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let rank = rank ^ turnedBits
        let isNull = rank == 0
        // Rising, null comes first; falling, it comes last.
        let nullResult = isAscending || isNull
        let kernel: ColumnKernel.Form
        switch form {
        case _ where isNull: kernel = .fixed(!isAscending)
        case .doubles:
            if rank == 1 { return false }
            let bound = ComparedValue.double(UInt64(truncatingIfNeeded: rank))
            kernel = .doubles(
                isAscending ? -.infinity...bound : bound...(.infinity), isInside: true)
        case .near(let least):
            let distance = UInt64(truncatingIfNeeded: max(rank, 2) - 2)
            kernel = Self.kernel(least + min(distance, .max - least), isAscending)
        case .ints: kernel = Self.kernel(UInt64(truncatingIfNeeded: rank), isAscending)
        }
        chunk.evaluate(ColumnKernel(FixedTest(false, nullResult: nullResult), kernel), into: mask)
        return true
    }

    private static func kernel(_ ordinal: UInt64, _ isAscending: Bool) -> ColumnKernel.Form {
        let bound = Int64(bitPattern: ordinal ^ 1 << 63)
        return .numbers(isAscending ? .min...bound : bound...(.max), isInside: true)
    }
}
