import HoldfastBytes
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// Keeps the first object of each combination of values, in the order in which they come.
struct DistinctFilter {
    private let evaluator: SortEvaluator
    private let read: ReadTransaction
    private let buffer = ByteBuffer(capacity: 64)
    private var seen: Set<[UInt8]> = []
    /// Bytes that ``seen`` may still take.
    private var room: Int
    /// The end of the page before, as long as the objects come from the first one on; nil behind it.
    private var end: (order: ObjectOrder, position: QueryPosition)?
    /// The sort values that belong to the distinct ones, and the last ones of the page before, if the objects come from there on.
    private let ended: (evaluator: SortEvaluator, sortBytes: [UInt8])?

    /// Whether there were more combinations than there is memory for.
    private(set) var isFull = false

    /// Makes a filter; nil when the query has no DISTINCT.
    ///
    /// - `position`: The end of the page before. Where the sort begins with the distinct paths the position tells
    ///   which values were seen last, and objects come from there on, see ``CheckedQuery/pagesByDistinct``. In any
    ///   other order they come from the first one: the objects up to the position tell which values were seen.
    /// - `byteCountMax`: The memory for the values that were seen.
    init?(
        _ query: CheckedQuery, _ read: ReadTransaction, after position: QueryPosition?,
        byteCountMax: Int
    ) {
        guard !query.distinct.isEmpty else { return nil }
        evaluator = SortEvaluator(query.distinct.map { SortKey(path: $0.path) }, schema: read.rows)
        self.read = read
        room = byteCountMax
        if query.pagesByDistinct {
            let own = Array(query.sort.prefix(query.distinct.count))
            ended = position.map { (SortEvaluator(own, schema: read.rows), $0.sortBytes) }
        } else {
            ended = nil
            end = position.map { (ObjectOrder(query.sort, of: query.rowClass, in: read), $0) }
        }
    }

    /// Whether the object is the first with its values, and not on an earlier page.
    mutating func takes(_ key: UInt64, _ row: RowView) -> Bool {
        buffer.removeAll()
        guard evaluator.appendDistinct(row: row, key: key, source: read, to: buffer) else {
            return false
        }
        let values = buffer.array
        if seen.contains(values) { return false }
        if let ended {
            buffer.removeAll()
            ended.evaluator.append(row: row, key: key, source: read, to: buffer)
            // No key is a prefix of another, so the same beginning is the same values.
            if ended.sortBytes.starts(with: buffer.bytes) { return false }
        }
        room -= values.count + 64
        if room < 0 { isFull = true }
        seen.insert(values)
        if let (order, position) = end {
            guard order.comesAfter(key, row, position) else { return false }
            end = nil
        }
        return true
    }
}
