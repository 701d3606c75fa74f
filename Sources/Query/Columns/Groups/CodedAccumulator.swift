import Rows

/// Notes which values of a column, or behind its links, each group has, by codes. What becomes of them is calculated once,
/// when all objects are known.
class CodedAccumulator: ColumnAccumulator {
    final let coder: GroupCoder
    /// The coder of the whole, which only the thread that finishes it uses.
    final let wholeCoder: GroupCoder
    final let path: ValuePath
    final let isGrouped: Bool
    final private(set) var groupCount = 0
    /// The groups and codes that have met, where there are groups.
    private final var pairs = CodeTable()
    private final let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)
    private final let numbers = UnsafeMutablePointer<Int64>.allocate(capacity: ColumnBatch.countMax)

    /// - `whole`: The coder of the whole, where that is another.
    init(
        _ coder: GroupCoder, of whole: GroupCoder? = nil, _ path: ValuePath, isGrouped: Bool,
        _ wishes: Wishes = []
    ) {
        self.coder = coder
        wholeCoder = whole ?? coder
        self.path = path
        self.isGrouped = isGrouped
        super.init(coder.reference, wishes)
    }

    deinit {
        codes.deallocate()
        numbers.deallocate()
    }

    override final func bind(to columns: BoundColumns) {
        super.bind(to: columns)
        coder.bind(to: columns)
    }

    override final func bind(as other: ColumnAccumulator) {
        super.bind(as: other)
        if let other = other as? CodedAccumulator { coder.bind(as: other.coder) }
    }

    override final func isLike(_ other: ColumnAccumulator) -> Bool {
        super.isLike(other) && (other as? CodedAccumulator)?.path == path
    }

    override var byteCount: Int { coder.byteCount + pairs.byteCount }

    override final func grow(to groupCount: Int) { self.groupCount = groupCount }

    override final func add(
        _ chunk: ColumnChunk, _ batch: ColumnBatch, _ groups: UnsafePointer<UInt32>?
    ) {
        coder.encode(batch, into: codes)
        let count = batch.positions.count
        if let groups {
            for index in 0..<count { numbers[index] = CodeTable.pair(groups[index], codes[index]) }
            pairs.encode(UnsafeBufferPointer(start: numbers, count: count), into: codes)
        }
        self.count(UnsafeBufferPointer(start: codes, count: count))
    }

    /// Counts objects, by the numbers of their meetings.
    func count(_ meetings: UnsafeBufferPointer<UInt32>) {}

    /// Counts the objects of a meeting of a part.
    func count(_ meeting: Int, of part: ColumnAccumulator, as own: Int) {}

    override final func add(_ part: ColumnAccumulator, to groups: [UInt32]) {
        guard let part = part as? CodedAccumulator else { return }
        let coded = coder.codes(of: part.coder)
        for first in stride(from: 0, to: part.meetingCount, by: ColumnBatch.countMax) {
            let count = min(ColumnBatch.countMax, part.meetingCount - first)
            for offset in 0..<count {
                let (group, code) = part.meeting(first + offset)
                codes[offset] = coded[code]
                numbers[offset] = CodeTable.pair(groups[group], coded[code])
            }
            if isGrouped {
                pairs.encode(UnsafeBufferPointer(start: numbers, count: count), into: codes)
            }
            for offset in 0..<count {
                self.count(first + offset, of: part, as: Int(codes[offset]))
            }
        }
    }

    /// How many times a value was the first of its kind in its group.
    final var meetingCount: Int { isGrouped ? pairs.count : coder.count }

    /// The group and the code of such a time.
    final func meeting(_ index: Int) -> (group: Int, code: Int) {
        guard isGrouped else { return (0, index) }
        let pair = pairs.numbers[index]
        return (Int(pair >> 32), Int(UInt32(truncatingIfNeeded: pair)))
    }
}
