import HoldfastBytes
import HoldfastRows

/// Rows that wait to be added to an aggregation: their keys, and the sort bytes of the groups that they count in. One thread
/// at a time uses it.
final class RowBatch {
    /// Makes the sort bytes of the groups that a row counts in: of one without bytes where there are no groups.
    let evaluator: GroupKeyEvaluator
    private let keys = BatchRoom<UInt64>()
    private let positions = BatchRoom<Int32>()
    /// Each position once.
    private let all = BatchRoom<Int32>()
    private let groups = ValueCollector(.texts(.data), textByteCountMax: .max)
    private let meter = ColumnMeter()
    private var rowCount = 0
    private var count = 0

    init(_ question: Aggregation.Question) {
        evaluator = GroupKeyEvaluator(question.by, schema: question.schema)
        for index in 0..<ColumnBatch.countMax { all.start[index] = Int32(index) }
    }

    /// Whether there is no room for another group of a row.
    var isFull: Bool { count == ColumnBatch.countMax }

    /// Appends the key of a row.
    func append(_ key: UInt64) {
        keys.start[rowCount] = key
        rowCount += 1
    }

    /// Appends a group of the last row.
    func appendGroup(_ sortBytes: UnsafeRawBufferPointer) {
        positions.start[count] = Int32(rowCount - 1)
        count += 1
        if let start = sortBytes.baseAddress { groups.append(start, sortBytes.count) }
    }

    /// The rows, one for each of their groups; nil without any.
    var batch: ColumnBatch? {
        guard count > 0 else { return nil }
        return ColumnBatch(
            chunk: 0, positions: UnsafeBufferPointer(start: positions.start, count: count),
            keys: UnsafePointer(keys.start))
    }

    /// Sets the codes of the groups.
    func encode(by coder: GroupCoder, into codes: UnsafeMutablePointer<UInt32>) {
        coder.encode(
            groups.seal(meter), UnsafeBufferPointer(start: all.start, count: count), into: codes)
    }

    func removeAll() {
        groups.removeAll()
        (rowCount, count) = (0, 0)
    }
}
