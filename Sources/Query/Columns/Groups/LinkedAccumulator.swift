import ObjectModel
import Rows

/// Sums and extremes of numbers and dates behind links: each object that is linked to is read once, when all links are known.
final class LinkedAccumulator: CodedAccumulator {
    /// The accumulators of the values in the end, by their type.
    private let numbers: NumberAccumulator?
    private let doubles: DoubleAccumulator?
    /// How many objects each meeting has.
    private var objectCounts: [Int] = []

    /// Nil for other values.
    init?(_ coder: LinkGroupCoder, _ path: ValuePath, isGrouped: Bool, _ wishes: Wishes) {
        switch path.type.storage {
        case .int, .date:
            (numbers, doubles) = (NumberAccumulator(coder.reference, wishes), nil)
        case .double, .float:
            (numbers, doubles) = (nil, DoubleAccumulator(coder.reference, wishes))
        default: return nil
        }
        super.init(coder, path, isGrouped: isGrouped, wishes)
    }

    private init(partOf whole: LinkedAccumulator) {
        numbers = whole.numbers.map { NumberAccumulator($0.reference, whole.wishes) }
        doubles = whole.doubles.map { DoubleAccumulator($0.reference, whole.wishes) }
        super.init(
            whole.coder.makePart(), of: whole.wholeCoder, whole.path, isGrouped: whole.isGrouped,
            whole.wishes)
    }

    override func makePart() -> ColumnAccumulator { LinkedAccumulator(partOf: self) }

    override var byteCount: Int {
        super.byteCount + objectCounts.capacity * 8 + innerByteCount
    }

    override func count(_ meetings: UnsafeBufferPointer<UInt32>) {
        growCounts()
        objectCounts.withUnsafeMutableBufferPointer { counts in
            for meeting in meetings { counts[Int(meeting)] += 1 }
        }
    }

    override func count(_ meeting: Int, of part: ColumnAccumulator, as own: Int) {
        guard let part = part as? LinkedAccumulator else { return }
        growCounts()
        objectCounts[own] += part.objectCounts[meeting]
    }

    private func growCounts() {
        while objectCounts.count < meetingCount { objectCounts.append(0) }
    }

    override func settle(byteCountMax: Int, within budget: Budget) -> Bool {
        numbers?.wishes = wishes
        doubles?.wishes = wishes
        numbers?.grow(to: groupCount)
        doubles?.grow(to: groupCount)
        let coded = wholeCoder.codes(of: coder)
        let left = byteCountMax - innerByteCount - coded.count * 4
        let values = CodedValues(
            wholeCoder, joinsEqual: false, byteCountMax: left, within: budget)
        guard let values else { return false }
        growCounts()
        for index in 0..<meetingCount {
            if !budget.spend() { return false }
            let (group, code) = meeting(index)
            let value = values[Int(coded[code])]
            guard add(value, objectCounts[index], to: group) else { return false }
        }
        return innerByteCount <= byteCountMax
    }

    private var innerByteCount: Int { (numbers?.byteCount ?? 0) + (doubles?.byteCount ?? 0) }

    /// Adds so many objects with a value, by its sort bytes; false for a date that is not told in nanoseconds.
    private func add(_ sortBytes: UnsafeRawBufferPointer, _ count: Int, to group: Int) -> Bool {
        if sortBytes.first == 0 { return true }
        var bits: UInt64 = 0
        let storage = path.type.storage
        let byteCount = storage == .float ? 4 : 8
        for byte in sortBytes.dropFirst().prefix(byteCount) { bits = bits << 8 | UInt64(byte) }
        switch storage {
        case .int: numbers?.add(Int64(bitPattern: bits ^ 1 << 63), count, to: group)
        case .date:
            var rest: UInt32 = 0
            for byte in sortBytes.dropFirst(1 + byteCount) { rest = rest << 8 | UInt32(byte) }
            let time = Timestamp(
                seconds: Int64(bitPattern: bits ^ 1 << 63), nanoseconds: Int32(bitPattern: rest))
            guard let number = ColumnNumber.nanoseconds(time) else { return false }
            numbers?.add(number, count, to: group)
        // NaN is no value.
        case _ where bits == 0: return true
        case .float:
            let float = ComparedValue.float(UInt32(truncatingIfNeeded: bits))
            doubles?.add(Double(float), count, to: group)
        default: doubles?.add(ComparedValue.double(bits), count, to: group)
        }
        return true
    }

    override func state(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState? {
        numbers?.state(kind, of: group) ?? doubles?.state(kind, of: group)
    }
}
