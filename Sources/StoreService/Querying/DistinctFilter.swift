import Bytes
import ObjectStore
import Query
import Rows

/// Keeps the first object of each combination of values, in the order in which they come.
struct DistinctFilter {
    private let evaluator: SortEvaluator
    private let read: ReadTransaction
    private let buffer = ByteBuffer(capacity: 64)
    private var seen: Set<[UInt8]> = []
    /// Bytes that ``seen`` may still take.
    private var room: Int
    /// The sort values that belong to the distinct ones, and those that the page before ended with.
    private let ended: (evaluator: SortEvaluator, sortBytes: [UInt8])?

    /// Whether there were more combinations than there is memory for.
    private(set) var isFull = false

    /// Makes a filter; nil when the query has no DISTINCT.
    ///
    /// - `position`: Where the page before ended; the sort begins with the distinct paths then, so
    ///   that the position tells which values were seen last, whatever has become of its object.
    /// - `byteCountMax`: The memory for what was seen.
    init?(
        _ query: CheckedQuery, _ read: ReadTransaction, after position: QueryPosition?,
        byteCountMax: Int
    ) {
        guard !query.distinct.isEmpty else { return nil }
        evaluator = SortEvaluator(
            query.distinct.map { SortKey(path: $0.path) }, schema: read.rows)
        self.read = read
        room = byteCountMax
        ended = position.map { position in
            (
                SortEvaluator(Array(query.sort.prefix(query.distinct.count)), schema: read.rows),
                position.sortBytes
            )
        }
    }

    /// Whether the object is the first with its values.
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
        return true
    }
}
