import HoldfastQuery
import HoldfastRows

/// The beginning of a scan by columns as the sample of a plan.
extension Planner {
    /// Whether a page in the order of object keys is wanted.
    var isPage: Bool {
        query.sort.isEmpty && !query.isCounted && query.expectedCount != nil
    }

    /// Returns the scan of a page that the first chunk of columns fills, where that is evaluated as soon as an index
    /// is asked; nil where it does not, and the query has to be planned.
    mutating func immediatePage() throws(StoreError) -> Plan? {
        guard isPage, transaction.columns?.hasColumns(rowClass) == true, !isAnswered
        else { return nil }
        let scan = try scanCost()
        // The bound is the cost of asking an index.
        guard let chunk = scan.chunk, scan.start + chunk <= QueryCost.always else { return nil }
        return try isFilled() ? scanPlan(scan) : nil
    }

    /// Whether an index has a page at once: that of the only value, the primary key, or that of a text, which few
    /// objects share as a rule.
    private var isAnswered: Bool {
        let conjuncts = conjuncts
        return conjuncts.contains { conjunct in
            guard case .comparison(let comparison) = conjunct, comparison.comparison == .equal,
                case .path(let path, _) = comparison.left, let member = path.ownMember,
                rowClass.isIndexed(member)
            else { return false }
            if conjuncts.count == 1 || member == rowClass.primaryKeyIndex { return true }
            if case .texts? = ColumnForm(rowClass.members[member].storage) { return true }
            return false
        }
    }

    /// Begins the scan by columns, and tells whether its first chunk has the page that is wanted.
    mutating func isFilled() throws(StoreError) -> Bool {
        try begin()
        guard isPage, let wanted = query.expectedCount else { return false }
        return beginning?.nextCount ?? 0 >= wanted
    }

    /// Begins a scan by the columns that were looked for, where they answer the whole condition.
    private mutating func begin() throws(StoreError) {
        guard beginning == nil, let prepared = preparedScan else { return }
        let scan = try ColumnScan(
            query.predicate, rowClass, sort: query.sort, in: transaction, readsAll: false,
            prepared: prepared)
        // Without it the program would be bound twice.
        preparedScan?.begun = scan
        guard let scan else {
            preparedScan = nil
            return
        }
        beginning = try scan.begin(after: query.sort.isEmpty ? query.after?.key ?? 0 : 0)
    }

    /// Estimates the matches as far as the beginning of a scan by columns tells; nil where there are none, or all are
    /// wanted.
    mutating func matchesByColumns(_ scan: ScanCost, _ total: Int) throws(StoreError) -> Int? {
        guard scan.isByColumns, query.expectedCount != nil, !query.isCounted else { return nil }
        try begin()
        guard let beginning, beginning.objectCount > 0 else { return nil }
        // Where none was met there may still be half a one.
        let share = QueryCost.times(beginning.matchCount, total) / beginning.objectCount
        return max(1, share, total / (2 * beginning.objectCount))
    }
}
