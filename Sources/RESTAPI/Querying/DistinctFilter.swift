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

    /// Makes a filter; nil when the query has no DISTINCT.
    ///
    /// - Parameter position: Where the page before ended: its object's values have been seen.
    init?(
        _ query: CheckedQuery, _ read: ReadTransaction, after position: QueryPosition?,
        _ execution: QueryExecution
    ) {
        guard !query.distinct.isEmpty else { return nil }
        evaluator = SortEvaluator(
            query.distinct.map { SortKey(path: $0.path) }, schema: read.rows)
        self.read = read
        if let position, let row = read.row(classIndex: query.rowClass.index, key: position.key),
            execution.position(position.key, row) == position
        {
            _ = takes(position.key, row)
        }
    }

    /// Whether the object is the first with its values.
    mutating func takes(_ key: UInt64, _ row: RowView) -> Bool {
        buffer.removeAll()
        guard evaluator.appendDistinct(row: row, key: key, source: read, to: buffer) else { return false }
        return seen.insert(buffer.array).inserted
    }
}
