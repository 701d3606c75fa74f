import Bytes
import Rows

/// Counts the different values of a column, or behind its links.
final class DistinctAccumulator: CodedAccumulator {
    /// How many values each group has.
    private var counts: [Int] = []

    /// Nil for values behind links of which some are none, as NaN.
    init?(_ coder: GroupCoder, _ path: ValuePath, isGrouped: Bool) {
        switch path.type.storage {
        case .double, .float, .decimal, .mixed: if coder.hasEqualValues { return nil }
        default: break
        }
        super.init(coder, path, isGrouped: isGrouped)
    }

    private init(partOf whole: DistinctAccumulator) {
        super.init(
            whole.coder.makePart(), of: whole.wholeCoder, whole.path, isGrouped: whole.isGrouped)
    }

    override func makePart() -> ColumnAccumulator { DistinctAccumulator(partOf: self) }

    override var byteCount: Int { super.byteCount + counts.capacity * 8 }

    override var needsAll: Bool { true }

    override func settle(byteCountMax: Int, within budget: Budget) -> Bool {
        let left = byteCountMax - groupCount * 8
        if left < 0 { return false }
        counts = [Int](repeating: 0, count: groupCount)
        return wholeCoder.hasEqualValues
            ? settleEqual(byteCountMax: left, within: budget) : settleDifferent(within: budget)
    }

    /// The most bytes of a value that is joined with equal ones.
    private static let joinedByteCount = 32

    /// Counts codes.
    private func settleDifferent(within budget: Budget) -> Bool {
        for index in 0..<meetingCount {
            if !budget.spend() { return false }
            counts[meeting(index).group] += 1
        }
        return true
    }

    /// Counts values, of which several codes may have one, and some none.
    private func settleEqual(byteCountMax: Int, within budget: Budget) -> Bool {
        let coded = wholeCoder.codes(of: coder)
        let byteCountMax = byteCountMax - meetingCount * Self.joinedByteCount - coded.count * 4
        guard let values = CodedValues(wholeCoder, byteCountMax: byteCountMax, within: budget)
        else { return false }
        let joined = CodeTable()
        for index in 0..<meetingCount {
            if !budget.spend() { return false }
            let (group, code) = meeting(index)
            let own = Int(coded[code])
            // Null begins so.
            if values[own].first == 0 { continue }
            let known = joined.count
            let first = Int64(values.firstEqual(to: own))
            if Int(joined.code(of: Int64(group) << 32 | first)) == known { counts[group] += 1 }
        }
        return true
    }

    override func state(_ kind: AggregateOperation.Kind, of group: Int) -> AggregateState? {
        AggregateState(.max, .int, best: Int64(counts[group]))
    }
}
