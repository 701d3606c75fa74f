import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import HoldfastThreads

/// Runs a query on one view of the store.
///
/// One thread at a time uses it; the view must stay open. Rows are valid until the view is closed; those of a view that shows a part, which
/// may be copies, until the body that they are handed to returns.
package final class QueryExecution {
    /// The work that was done, for `explain`.
    package struct Statistics: Sendable {
        /// Rows that were read, those of linked objects and look-ups included: the engine's count
        /// without ``entriesRead``.
        package var rowsRead = 0
        /// Entries of indexes and primary keys that were read, to plan or to run.
        package var entriesRead = 0
    }

    let transaction: ReadTransaction
    let rowClass: RowClass
    let query: ObjectQuery
    let limits: QueryLimits
    /// The present plan.
    package internal(set) var plan: Plan
    /// The plans that were given up.
    private var plansGivenUp: [FollowedPlan] = []
    /// Whether ``followed`` tells times, which takes a look at the clock for each plan.
    package var isTimed = false {
        didSet { if isTimed { begun = (monotonicMicroseconds(), statistics.rowsRead) } }
    }
    /// When the present plan was begun, if the query is timed, and what was read before.
    private var begun: (microseconds: UInt64, rowsRead: Int) = (0, 0)
    /// The position behind which it goes on: the query's, or that of the last object that an earlier plan handed over.
    private(set) var after: QueryPosition?
    var entriesRead = 0
    /// The engine's count before the query.
    private var readBefore: Int
    /// The matcher of the present plan; nil before a row asked for it.
    private(set) var madeMatcher: Matcher?
    /// The effect of the view's sight on the query; nil where it does not concern it.
    private(set) lazy var sight = transaction.sight(on: query)
    /// The order of the query's result.
    private(set) lazy var order = ObjectOrder(query.sort, of: rowClass, in: transaction)
    /// The cost of the present plan so far, see ``QueryCost``: that of reads beside the entries that it has to read.
    var costSpent = 0
    /// The cost of looking a row up.
    private(set) var lookUp = LookUpCost.large
    /// The cost of testing a row beside ``QueryCost/scannedRow``, where the present plan's cost is bounded.
    private(set) var testCost = 0
    /// The most that the present plan may cost.
    private(set) var costMax = Int.max
    /// Behind which object key a scan that cost too much goes on.
    var scannedKey: UInt64?
    /// Whether the present plan was given up because of that.
    var isTooExpensive = false
    /// The columns' part in a scan by the present plan; nil before it was asked for.
    var columnScan: ColumnScan??
    /// The scan that planning has prepared.
    var preparedScan: ColumnScan.Prepared?

    /// Plans a query.
    ///
    /// - Throws: ``StoreError`` `.stopped` when that takes too long already, and of storage.
    package convenience init(
        _ query: ObjectQuery, in transaction: ReadTransaction, limits: QueryLimits = QueryLimits()
    ) throws(StoreError) {
        transaction.limitFollowing(
            until: limits.deadlineMilliseconds, memoryByteCountMax: limits.memoryByteCountMax)
        let readBefore = transaction.entriesRead
        var planner = Planner(query, transaction, limits)
        self.init(query, plan: try planner.plan(), in: transaction, limits: limits)
        self.readBefore = readBefore
        entriesRead = planner.entriesRead
        preparedScan = planner.preparedScan
        lookUp = planner.lookUp
    }

    /// Follows a plan that is given: a part of another query's, or one of ``alternatives(of:in:)``.
    ///
    /// The time that following links may take stays what it was.
    package init(
        _ query: ObjectQuery, plan: Plan, in transaction: ReadTransaction,
        limits: QueryLimits = QueryLimits()
    ) {
        self.transaction = transaction
        self.query = query
        self.limits = limits
        rowClass = transaction.rows.classes[query.classIndex]
        readBefore = transaction.entriesRead
        after = query.after
        self.plan = plan
    }

    /// Returns the matcher of the present plan's residual predicate; nil where there is none.
    ///
    /// Made when the first row asks for it: columns may answer everything.
    func matcher() -> Matcher? {
        if let madeMatcher { return madeMatcher }
        guard let residual = plan.residual else { return nil }
        let made = residual.makeMatcher(transaction.rows, source: transaction)
        madeMatcher = made
        return made
    }

    /// The work done so far.
    package var statistics: Statistics {
        Statistics(
            rowsRead: transaction.entriesRead - readBefore - entriesRead, entriesRead: entriesRead)
    }

    /// Hands over the result in order, from the query's position on, until `body` returns false.
    ///
    /// - `limit`: The most objects that will be taken; bounds the memory of a sort.
    package func run(limit: Int, _ body: (_ key: UInt64, _ row: RowView) -> Bool) throws(StoreError)
    {
        guard limit > 0 else { return }
        var left = limit
        var last: UInt64?
        func take(_ key: UInt64, _ row: RowView) -> Bool {
            left -= 1
            last = key
            return body(key, row) && left > 0
        }
        while true {
            begin()
            try follow(limit: left, take)
            // Also of a plan that is given up: the next one has a matcher of its own, which knows nothing of it.
            try transaction.checkFailure()
            guard isTooExpensive else { break }
            if let scannedKey {
                after = QueryPosition(sortBytes: [], key: scannedKey)
            } else if let last, let row = try fetch(last) {
                after = position(last, row)
            }
            fallBack()
        }
    }

    /// Has the present plan pay from nothing, as far as it may.
    func begin() {
        scannedKey = nil
        costSpent = 0
        isTooExpensive = false
        if case .after(let cost, _) = plan.fallback {
            limitCost(to: cost)
        } else {
            limitCost(to: .max)
        }
    }

    private func limitCost(to cost: Int) {
        costMax = cost
        testCost = cost == .max ? 0 : QueryCost.test(plan.residual)
    }

    /// Goes on by the plan that stands behind the one that has cost too much.
    func fallBack() {
        if case .after(_, let next) = plan.fallback {
            replace(by: next)
        } else {
            replace(by: .scan(query))
        }
    }

    /// Hands over the result of the plan as it stands, as long as that costs no more than it may.
    ///
    /// - Returns: Whether it did not.
    func runOnly(
        cost: Int, _ body: (_ key: UInt64, _ row: RowView) -> Bool
    ) throws(StoreError) -> Bool {
        limitCost(to: cost)
        try follow(limit: .max, body)
        try transaction.checkFailure()
        return !isTooExpensive
    }

    private func follow(
        limit: Int, _ take: (_ key: UInt64, _ row: RowView) -> Bool
    ) throws(StoreError) {
        switch plan.order {
        case .sort: try sort(limit: limit, take)
        case .natural where plan.source == nil: try scan(after: after?.key ?? 0, take)
        case .natural(let reversed) where plan.keys == nil || !query.sort.isEmpty:
            try walk(reversed: reversed, take)
        case .natural, .collectKeys: try collectKeys(limit: limit, take)
        }
    }

    /// Gives the present plan up for another.
    private func replace(by next: Plan) {
        let isOther = next.source != plan.source || next.order != plan.order
        if isOther {
            var present = present
            present.isGivenUp = true
            plansGivenUp.append(present)
            if isTimed { begun = (monotonicMicroseconds(), statistics.rowsRead) }
        }
        // A scan that goes on as a scan keeps what was made for it.
        if isOther || next.source != nil {
            columnScan = nil
            madeMatcher = nil
        }
        plan = next
    }

    /// The plans that were followed so far, the present one last.
    package var followed: [FollowedPlan] { plansGivenUp + [present] }

    private var present: FollowedPlan {
        var present = FollowedPlan(plan)
        if plan.source == nil, let scan = columnScan ?? nil {
            present.columns = scan.references
            present.testsRows = scan.testsRows
        }
        if isTimed {
            present.microseconds = monotonicMicroseconds() - begun.microseconds
            present.rowsRead = statistics.rowsRead - begun.rowsRead
        }
        return present
    }

    /// Adds the cost of a step; false when the plan has become too expensive.
    func pays(_ cost: Int) -> Bool {
        costSpent &+= cost
        if costSpent > costMax { isTooExpensive = true }
        return !isTooExpensive
    }
}
