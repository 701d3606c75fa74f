import Bytes
import Rows

/// Counts the different values of a column, or behind its links.
final class DistinctAccumulator: ColumnAccumulator {
    private let storage: ElementStorage
    private let isGrouped: Bool
    private let coder: GroupCoder
    /// The coder of the whole, which only the thread that finishes it uses.
    private let wholeCoder: GroupCoder
    /// The groups and codes that have met, where there are groups.
    private var pairs = CodeTable()
    /// How many different values each group has, or all together.
    private var counts: [Int] = []
    /// The values of each group, where others are added to them.
    private var collected: [DistinctValues] = []
    private let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)

    /// Nil for values behind links of which some are none, as NaN.
    convenience init?(_ coder: GroupCoder, _ storage: ElementStorage, isGrouped: Bool) {
        switch storage {
        case .double, .float, .decimal, .mixed: if coder.hasEqualValues { return nil }
        default: break
        }
        self.init(coder, of: coder, storage, isGrouped)
    }

    private init(
        _ coder: GroupCoder, of whole: GroupCoder, _ storage: ElementStorage, _ isGrouped: Bool
    ) {
        self.coder = coder
        wholeCoder = whole
        self.storage = storage
        self.isGrouped = isGrouped
        super.init(coder.reference, [])
    }

    deinit { codes.deallocate() }

    override func bind(to columns: BoundColumns) {
        super.bind(to: columns)
        coder.bind(to: columns)
    }

    override func bind(as other: ColumnAccumulator) {
        super.bind(as: other)
        if let other = other as? DistinctAccumulator { coder.bind(as: other.coder) }
    }

    // Another path may begin with the same link.
    override func isLike(_ other: ColumnAccumulator) -> Bool { false }

    override func makePart() -> ColumnAccumulator {
        DistinctAccumulator(coder.makePart(), of: wholeCoder, storage, isGrouped)
    }

    override var byteCount: Int { coder.byteCount + pairs.byteCount + counts.capacity * 8 }

    override func grow(to groupCount: Int) {
        while counts.count < groupCount { counts.append(0) }
    }

    override func add(
        _ chunk: ColumnChunk, _ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?
    ) {
        coder.encode(batch, into: codes)
        guard let groups else { return }
        for index in batch.positions.indices { add(codes[index], to: groups[index]) }
    }

    @inline(__always)
    private func add(_ code: UInt32, to group: UInt32) {
        let known = pairs.count
        let pair = Int(pairs.code(of: Int64(group) << 32 | Int64(code)))
        if pair == known { counts[Int(group)] += 1 }
    }

    private static func parts(of pair: Int64) -> (group: Int, code: Int) {
        (Int(pair >> 32), Int(UInt32(truncatingIfNeeded: pair)))
    }

    override func add(_ part: ColumnAccumulator, to groups: [UInt32]) {
        guard let part = part as? DistinctAccumulator else { return }
        let coded = coder.codes(of: part.coder)
        for index in 0..<part.pairs.count {
            let (group, code) = Self.parts(of: part.pairs.numbers[index])
            add(coded[code], to: groups[group])
        }
    }

    override func settle(isWhole: Bool, byteCountMax: Int, isInTime: () -> Bool) -> Bool {
        var left = byteCountMax
        if wholeCoder.hasEqualValues {
            guard let values = CodedValues(wholeCoder, byteCountMax: left, goesOn: isInTime) else {
                return false
            }
            left -= values.byteCount
            join(
                wholeCoder.codes(of: coder).map { code in
                    values[Int(code)].first == 0 ? nil : values.firstEqual(to: Int(code))
                })
        } else if !isGrouped {
            counts = [coder.count]
        }
        return isWhole || collect(byteCountMax: left, isInTime)
    }

    /// Counts the values anew, of which several codes have one, and some none.
    ///
    /// - `values`: By code; those of ``wholeCoder``.
    private func join(_ values: [UInt32?]) {
        let old = pairs
        pairs = CodeTable()
        for index in counts.indices { counts[index] = 0 }
        guard isGrouped else {
            for case let value? in values { add(value, to: 0) }
            return
        }
        for index in 0..<old.count {
            let (group, code) = Self.parts(of: old.numbers[index])
            if let value = values[code] { add(value, to: UInt32(group)) }
        }
    }

    /// Collects the values of each group.
    private func collect(byteCountMax: Int, _ isInTime: () -> Bool) -> Bool {
        let byteCount = counts.reduce(0) { $0 + Self.groupByteCount + $1 * Self.valueByteCount }
        guard byteCount <= byteCountMax else { return false }
        let coder = wholeCoder.hasEqualValues ? wholeCoder : coder
        let buffer = ByteBuffer(capacity: 128)
        collected = counts.map { _ in DistinctValues(storage) }
        let hasPairs = isGrouped || wholeCoder.hasEqualValues
        for index in 0..<(hasPairs ? pairs.count : coder.count) {
            if index.isMultiple(of: Self.valuesUnseen), !isInTime() { return false }
            let (group, code) = hasPairs ? Self.parts(of: pairs.numbers[index]) : (0, index)
            buffer.removeAll()
            coder.append(code, to: buffer)
            collected[group].add(key: buffer.bytes)
        }
        return true
    }

    /// What a group takes, and each of its values, at most.
    private static let (groupByteCount, valueByteCount) = (512, 64)
    /// So many values are collected between two looks at the time.
    private static let valuesUnseen = 1024

    override func state(
        _ kind: AggregateOperation.Kind, of group: Int, isWhole: Bool
    ) -> AggregateState? {
        isWhole
            ? AggregateState(.max, .int, best: Int64(counts[group]))
            : AggregateState(collected[group])
    }
}
