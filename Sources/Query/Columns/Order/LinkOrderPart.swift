import Bytes
import Rows

/// Values behind to-one links: each object that is linked to is read once, and its value's place among those of the others is
/// the rank of all that link to it.
final class LinkOrderPart: ColumnOrderPart {
    private let coder: LinkGroupCoder
    /// The ranks, by code: odd ones, so that others have room between them.
    private var ranks: [UInt32] = []
    /// The ranks of the links' keys, by place: 0 is that of null, and a key's one more than its distance from ``base``;
    /// empty where keys lie far from one another.
    private var near: [UInt32] = []
    private var base: Int64 = 0
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
        super.init(coder.reference, isAscending: key.isAscending)
    }

    override var farClass: Int? { coder.farClass }

    override func bind(
        to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool
    ) -> Bool {
        guard super.bind(to: columns, byteCountMax: byteCountMax, isInTime: isInTime) else {
            return false
        }
        coder.bind(to: columns)
        findNear(byteCountMax: byteCountMax / 4)
        for index in 0..<chunkCount {
            enter(index)
            if coder.byteCount > byteCountMax || !isInTime() { return false }
        }
        // What stands for no object, too.
        let null = coder.code(of: nil)
        for place in near.indices {
            let isKey = place > 0 && near[place] != 0
            near[place] = isKey ? coder.code(of: base + Int64(place - 1)) : null
            if coder.byteCount > byteCountMax { return false }
            if place.isMultiple(of: Self.placesUnseen), !isInTime() { return false }
        }
        // The values stand in the table that joins equal ones, and in their order, once more.
        let coded = CodedValues(
            coder, isAscending: isAscending, byteCountMax: byteCountMax / 4,
            goesOn: { !coder.hasCut && isInTime() })
        guard let coded, !coder.hasCut else { return false }
        let sorted = (0..<coder.count).filter { coded.firstEqual(to: $0) == UInt32($0) }
            .map { Array(coded[$0]) }
            .sorted(inTime: isInTime) { a, b in
                a.withUnsafeBytes { a in b.withUnsafeBytes { compareKeys(a, $0) < 0 } }
            }
        guard let sorted else { return false }
        values = sorted
        ranks = (0..<coder.count).map { UInt32(2 * place(of: coded[$0]).position + 1) }
        for place in near.indices { near[place] = ranks[Int(near[place])] }
        width = 32
        byteCount =
            coder.byteCount + 4 * (near.count + ranks.count)
            + values.reduce(0) { $0 + $1.count + Self.valueByteCount }
        return values.count < 1 << 30 && byteCount <= byteCountMax
    }

    /// Makes room for the ranks of all keys between the least and the greatest, unless there are far more of these than
    /// links.
    private func findNear(byteCountMax: Int) {
        near = []
        let chunks = (0..<chunkCount).compactMap { chunk($0) as? NumberChunk }
        guard let least = chunks.map(\.least).min(), let greatest = chunks.map(\.greatest).max()
        else { return }
        let (span, overflows) = greatest.subtractingReportingOverflow(least)
        let countMax = min(Self.placesPerLink * chunkCount * ColumnChunk.keyCount, byteCountMax / 4)
        guard !overflows, span < countMax - 2 else { return }
        base = least
        near = [UInt32](repeating: 0, count: Int(span) + 2)
    }

    /// What a value takes beside its bytes.
    private static let valueByteCount = 48

    /// Places for each link at most.
    private static let placesPerLink = 4

    /// Gives codes to what the links of a chunk lead to, or marks their places.
    private func enter(_ index: Int) {
        guard let chunk = chunk(index) as? NumberChunk else { return }
        guard near.isEmpty else {
            return near.withUnsafeMutableBufferPointer { near in
                chunk.forEachPlace(from: base) { near[$1] = 1 }
            }
        }
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

    /// So many places are looked at between two looks at the time.
    private static let placesUnseen = 4096

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
        guard near.isEmpty else {
            let chunk = chunk(batch.chunk) as? NumberChunk
            near.withUnsafeBufferPointer { near in
                for (index, position) in batch.positions.enumerated() {
                    let rank = near[place(of: Int(position), in: chunk)]
                    ranks[index] = ranks[index] << shift | UInt128(rank)
                }
            }
            return
        }
        coder.encode(batch, into: codes)
        self.ranks.withUnsafeBufferPointer { own in
            for index in batch.positions.indices {
                ranks[index] = ranks[index] << shift | UInt128(own[Int(codes[index])])
            }
        }
    }

    @inline(__always)
    private func place(of position: Int, in chunk: NumberChunk?) -> Int {
        guard let chunk, chunk.nulls?[position] ?? 0 == 0 else { return 0 }
        return Int(chunk.value(position) - base) + 1
    }

    override func narrow(
        _ chunk: ColumnChunk, _ frame: ColumnFrame, upTo rank: UInt128,
        into mask: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard !near.isEmpty, let chunk = chunk as? NumberChunk else { return false }
        let last = UInt32(truncatingIfNeeded: rank)
        near.withUnsafeBufferPointer { near in
            chunk.forEachPlace(from: base) { mask[$0] = near[$1] <= last ? 1 : 0 }
        }
        return true
    }

    override func rank(of sortBytes: ArraySlice<UInt8>) -> (rank: UInt128, byteCount: Int?)? {
        let (position, isFound) = sortBytes.withUnsafeBytes { place(of: $0) }
        return isFound
            ? (UInt128(2 * position + 1), values[position].count) : (UInt128(2 * position), nil)
    }
}
