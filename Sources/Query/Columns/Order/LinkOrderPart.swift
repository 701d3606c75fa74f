import Bytes
import Rows

/// Values behind to-one links: each object that is linked to is read once, and its value's place among those of the others is
/// the rank of all that link to it.
final class LinkOrderPart: ColumnOrderPart {
    private let coder: LinkGroupCoder
    private let isAscending: Bool
    /// The ranks, by code: odd ones, so that others have room between them.
    private var ranks: [UInt32] = []
    /// The values that differ, in their order.
    private var values: [[UInt8]] = []

    private let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)

    private let positions = UnsafeMutablePointer<Int32>.allocate(capacity: ColumnBatch.countMax)

    deinit {
        codes.deallocate()
        positions.deallocate()
    }

    /// Nil where no to-one link comes first.
    init?(_ key: SortKey, schema: RowSchema) {
        guard let coder = LinkGroupCoder(key.path, schema: schema) else { return nil }
        self.coder = coder
        isAscending = key.isAscending
        super.init(coder.reference)
    }

    override func bind(
        to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool
    ) -> Bool {
        guard super.bind(to: columns, byteCountMax: byteCountMax, isInTime: isInTime) else {
            return false
        }
        coder.bind(to: columns)
        for index in 0..<chunkCount {
            enter(index)
            if coder.byteCount > byteCountMax || !isInTime() { return false }
        }
        // What stands for no object, too.
        _ = coder.code(of: nil)
        // The values stand in the table that joins equal ones, and in their order, once more.
        let coded = CodedValues(
            coder, isAscending: isAscending, byteCountMax: byteCountMax / 4,
            goesOn: { !coder.hasCut && isInTime() })
        guard let coded, !coder.hasCut else { return false }
        values = (0..<coder.count).filter { coded.firstEqual(to: $0) == UInt32($0) }
            .map { Array(coded[$0]) }
        values.sort { a, b in
            a.withUnsafeBytes { a in b.withUnsafeBytes { compareKeys(a, $0) < 0 } }
        }
        ranks = (0..<coder.count).map { UInt32(2 * place(of: coded[$0]).position + 1) }
        width = 32
        return values.count < 1 << 30
    }

    /// Gives codes to what the links of a chunk lead to.
    private func enter(_ index: Int) {
        guard let chunk = chunk(index) else { return }
        var first = 0
        while first < chunk.count {
            let count = min(ColumnBatch.countMax, chunk.count - first)
            for offset in 0..<count { positions[offset] = Int32(first + offset) }
            coder.encode(
                ColumnBatch(
                    chunk: index, positions: UnsafeBufferPointer(start: positions, count: count)),
                into: codes)
            first += count
        }
    }

    /// Where a value stands among those in order, or would; and whether it is there.
    private func place(of value: UnsafeRawBufferPointer) -> (position: Int, isFound: Bool) {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            // What follows the value in a position is not looked at.
            let order = values[middle].withUnsafeBytes { own in
                compareKeys(own, UnsafeRawBufferPointer(rebasing: value.prefix(own.count)))
            }
            if order == 0 { return (middle, true) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    override func appendRanks(
        _ batch: ColumnBatch, to ranks: UnsafeMutablePointer<UInt128>
    ) {
        let shift = UInt128(width)
        coder.encode(batch, into: codes)
        self.ranks.withUnsafeBufferPointer { own in
            for index in batch.positions.indices {
                ranks[index] = ranks[index] << shift | UInt128(own[Int(codes[index])])
            }
        }
    }

    override func rank(of sortBytes: ArraySlice<UInt8>) -> (rank: UInt128, byteCount: Int?)? {
        let (position, isFound) = sortBytes.withUnsafeBytes { place(of: $0) }
        return isFound
            ? (UInt128(2 * position + 1), values[position].count) : (UInt128(2 * position), nil)
    }
}
