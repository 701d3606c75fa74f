import Bytes
import Query
import Rows
import Storage
import Threads

/// Runs a query on one view of the store.
///
/// One thread at a time uses it; the view must stay open. Rows are valid until the view is closed.
package final class QueryExecution {
    /// Why a query was stopped.
    package enum Failure: Error, Sendable {
        /// Storage or the store failed.
        case store(StoreError)
        /// It took too long.
        case time
        /// It needed too much memory.
        case memory
        /// A regular expression took too long for one value, or too much memory.
        case pattern
    }

    /// What was done, for `explain`.
    package struct Statistics: Sendable {
        /// Rows that were read, those of linked objects and look-ups included: what the engine counted
        /// beside ``entriesRead``.
        package var rowsRead = 0
        /// Entries of indexes and primary keys that were read, to plan or to run.
        package var entriesRead = 0
    }

    let transaction: ReadTransaction
    let rowClass: RowClass
    let query: ObjectQuery
    let limits: QueryLimits
    /// How the objects are found at present.
    package internal(set) var plan: Plan
    /// The plans that were given up.
    private var plansGivenUp: [FollowedPlan] = []
    /// Whether ``followed`` tells times, which takes a look at the clock for each plan.
    package var isTimed = false {
        didSet { if isTimed { begun = (monotonicMicroseconds(), statistics.rowsRead) } }
    }
    /// When the present plan was begun, if the query is timed, and what was read before.
    private var begun: (microseconds: UInt64, rowsRead: Int) = (0, 0)
    /// Where to go on: behind the query's position, or what was handed over by an earlier plan.
    private(set) var after: QueryPosition?
    var entriesRead = 0
    /// What the engine had counted before the query.
    private let readBefore: Int
    /// The matcher of the present plan; nil before a row asked for it.
    private(set) var madeMatcher: Matcher?
    /// The order of the query's result.
    private(set) lazy var order = ObjectOrder(query.sort, of: rowClass, in: transaction)
    var stepCount = 0
    /// At how many steps the clock is looked at next.
    var nextLook = stepCountUnseen
    /// So many steps are made between two looks at the clock.
    static let stepCountUnseen = 1024
    /// Why planning failed, which running tells.
    private(set) var planningFailure: Failure?
    /// What the present plan has cost, see ``QueryCost``: what it read beside the entries it has to.
    var costSpent = 0
    /// What of that was paid for reading behind links.
    var costFollowed = 0
    /// What the present plan may cost.
    private(set) var costMax = Int.max
    /// How many rows the present plan has asked its conditions about.
    var stepsTaken = 0
    /// What a row of a scan costs, as far as is known.
    private(set) var rowCost: Int
    /// The same before anything was tested.
    let plannedRowCost: RowCost
    /// What earlier plans have cost.
    private var costSpentBefore = 0
    /// Behind which object key a scan that became too dear goes on.
    var scannedKey: UInt64?
    /// Whether the present plan was given up because of that.
    var isTooDear = false
    /// What columns can do for a scan by the present plan; nil before anybody asked.
    var columnScan: ColumnScan??
    /// What planning has made for such a scan.
    var preparedScan: ColumnScan.Prepared?
    /// Whether the beginning of a scan was looked at before the query was planned.
    private var wasTried = false
    /// Under what it is remembered whether that was enough; nil where it is not to be remembered.
    private var trialKey: UInt64?
    /// What the last walk that was given up would likely have gone on to cost.
    private var costExpected = 0
    /// What the dearest look at the points in some cells might cost so far.
    private var cellCostTried = 0
    /// What a scan costs, as the last plan found.
    private var scanCost: ScanCost?

    /// Plans a query.
    package init(
        _ query: ObjectQuery, in transaction: ReadTransaction, limits: QueryLimits = QueryLimits()
    )
        throws(StoreError)
    {
        self.transaction = transaction
        self.query = query
        self.limits = limits
        plannedRowCost = RowCost(query.predicate)
        rowCost = plannedRowCost.whole
        transaction.limitFollowing(until: limits.deadlineMilliseconds)
        rowClass = transaction.rows.classes[query.classIndex]
        readBefore = transaction.entriesRead
        after = query.after
        if let plan = Planner.obvious(query, rowClass, transaction.rows) {
            self.plan = plan
            return
        }
        var planner = Planner(query, transaction, limits)
        do throws(Failure) { plan = try planner.plan() } catch {
            if case .store(let error) = error { throw error }
            planningFailure = error
            plan = .scan(query)
        }
        entriesRead = planner.entriesRead
        preparedScan = planner.preparedScan
        trialKey = planner.trialKey
        scanCost = planner.knownScanCost
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
        plannedRowCost = RowCost(query.predicate)
        rowCost = plannedRowCost.whole
        rowClass = transaction.rows.classes[query.classIndex]
        readBefore = transaction.entriesRead
        after = query.after
        self.plan = plan
    }

    /// What tests rows for the present plan's residual predicate; nil for nothing.
    ///
    /// Made when the first row asks for it: columns may answer everything.
    func matcher() -> Matcher? {
        if let madeMatcher { return madeMatcher }
        guard let residual = plan.residual else { return nil }
        let made = residual.makeMatcher(
            transaction.rows, source: transaction, until: limits.deadlineMilliseconds)
        madeMatcher = made
        return made
    }

    /// What was done so far.
    package var statistics: Statistics {
        Statistics(
            rowsRead: transaction.entriesRead - readBefore - entriesRead, entriesRead: entriesRead)
    }

    /// Hands over the result in order, from the query's position on, until `body` returns false.
    ///
    /// - `limit`: How many objects will be taken at most; bounds the memory of a sort.
    package func run(limit: Int, _ body: (_ key: UInt64, _ row: RowView) -> Bool) throws(Failure) {
        if let planningFailure { throw planningFailure }
        guard limit > 0 else { return }
        var left = limit
        var last: UInt64?
        func take(_ key: UInt64, _ row: RowView) -> Bool {
            left -= 1
            last = key
            return body(key, row) && left > 0
        }
        while true {
            try replanWithoutColumns()
            switch plan.fallback {
            case .none: break
            case .after(let cost, _), .rethink(let cost), .plan(let cost, _): costMax = cost
            }
            let (allBefore, entriesBefore) = (transaction.entriesRead, entriesRead)
            try follow(limit: left, take)
            // Also of a plan that is given up: the next one has a matcher of its own, which knows nothing of it.
            try checkFailure()
            guard isTooDear else {
                if case .plan = plan.fallback, let trialKey {
                    transaction.columns?.trials.note(trialKey)
                }
                break
            }
            noteFollowed(transaction.entriesRead - allBefore - (entriesRead - entriesBefore))
            if let scannedKey {
                after = QueryPosition(sortBytes: [], key: scannedKey)
            } else if let last, let row = try fetch(last) {
                after = position(last, row)
            }
            try fallBack(found: limit - left, left: left)
        }
    }

    /// Hands over the result of the plan as it stands, as long as that costs no more than it may.
    ///
    /// - Returns: Whether it did not.
    func runOnly(
        cost: Int, _ body: (_ key: UInt64, _ row: RowView) -> Bool
    ) throws(Failure) -> Bool {
        costMax = cost
        try follow(limit: .max, body)
        try checkFailure()
        return !isTooDear
    }

    private func follow(
        limit: Int, _ take: (_ key: UInt64, _ row: RowView) -> Bool
    ) throws(Failure) {
        switch (plan.access, plan.order) {
        case (.nothing, _): break
        case (_, .sort): try sort(limit: limit, take)
        case (.scan, _): try scan(after: after?.key ?? 0, take)
        case (.keys, _), (_, .collectKeys): try collectKeys(limit: limit, take)
        case (_, .natural(let reversed)):
            if plan.keys != nil, query.sort.isEmpty {
                try collectKeys(limit: limit, take)
            } else {
                try walk(reversed: reversed, take)
            }
        }
    }

    /// Adds to the cost of the present plan what its conditions read beside the rows that they were asked
    /// about.
    private func noteFollowed(_ readCount: Int) {
        guard readCount > stepsTaken, stepsTaken > 0 else { return }
        let cost = (readCount - stepsTaken) * QueryCost.followed
        rowCost = max(rowCost, plannedRowCost.tested + cost / stepsTaken)
        costSpent += max(0, cost - costFollowed)
    }

    /// Goes on by another plan than the one that has become too dear.
    ///
    /// - `found`: How many objects were handed over so far, and `left` how many are wanted.
    private func fallBack(found: Int, left: Int) throws(Failure) {
        switch plan.fallback {
        case .none: replace(by: .scan(query))
        case .after(_, let other): replace(by: other)
        case .plan(let cost, let otherCost):
            // Where the page fills slowly but steadily, the rest of the scan may still be the least.
            let rest = found > 0 ? QueryCost.times(cost, left) / found : .max
            if !wasTried, rest <= 2 * otherCost {
                wasTried = true
                plan.fallback = .plan(cost: min(2 * rest, otherCost), otherCost: 0)
                beginAgain()
            } else {
                if let trialKey { transaction.columns?.trials.forget(trialKey) }
                try replan(mayUseColumns: true)
            }
        case .rethink:
            costSpentBefore += max(costSpent, 1)
            // One more than were found: the next may be the first of many.
            costExpected = QueryCost.times(costSpentBefore, left) / (found + 1)
            try replan(mayUseColumns: true)
        }
    }

    /// Plans the rest of the query anew.
    private func replan(mayUseColumns: Bool) throws(Failure) {
        // While columns are at work it is known what they cost.
        let isKnown = mayUseColumns && rowCost == plannedRowCost.whole && (columnScan ?? nil) != nil
        let scanCost = isKnown ? scanCost : nil
        if case .plan = plan.fallback { wasTried = true }
        var query = query
        query.after = after
        var planner = Planner(
            query, transaction, limits, costSpent: costSpentBefore,
            costExpected: costExpected, cellCostTried: cellCostTried, rowCost: rowCost,
            mayUseColumns: mayUseColumns, mayTry: !wasTried, scanCost: scanCost)
        let next = try planner.plan()
        self.scanCost = planner.knownScanCost
        cellCostTried = planner.cellCostTried
        entriesRead += planner.entriesRead
        preparedScan = planner.preparedScan
        replace(by: next)
    }

    /// Plans anew where columns that the plan counts on have gone.
    func replanWithoutColumns() throws(Failure) {
        guard plan.chunkCost != nil, try columns(readsAll: plan.order == .sort) == nil else {
            return
        }
        try replan(mayUseColumns: false)
    }

    /// Gives the present plan up for another.
    func replace(by next: Plan) {
        let isOther = next.access != plan.access || next.order != plan.order
        if isOther {
            var present = present
            present.isGivenUp = true
            plansGivenUp.append(present)
            if isTimed { begun = (monotonicMicroseconds(), statistics.rowsRead) }
        }
        // A scan that goes on as a scan keeps what was made for it.
        if isOther || next.access != .scan {
            columnScan = nil
            madeMatcher = nil
        }
        plan = next
        beginAgain()
    }

    /// Has the present plan pay from nothing.
    private func beginAgain() {
        scannedKey = nil
        costSpent = 0
        costFollowed = 0
        stepsTaken = 0
        costMax = .max
        isTooDear = false
    }

    /// The plans that were followed so far, the present one last.
    package var followed: [FollowedPlan] { plansGivenUp + [present] }

    private var present: FollowedPlan {
        var present = FollowedPlan(plan)
        if case .scan = plan.access, let scan = columnScan ?? nil {
            present.columns = scan.references
            present.testsRows = scan.testsRows
        }
        if isTimed {
            present.microseconds = monotonicMicroseconds() - begun.microseconds
            present.rowsRead = statistics.rowsRead - begun.rowsRead
        }
        return present
    }

    /// Pays for a step; false when the plan has become too dear.
    func pays(_ cost: Int) -> Bool {
        costSpent &+= cost
        if costSpent <= costMax {
            stepsTaken &+= 1
            return true
        }
        isTooDear = true
        return false
    }
}
