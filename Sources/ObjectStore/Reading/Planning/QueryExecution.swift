import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import HoldfastThreads

/// Runs a query on one view of the store.
///
/// One thread at a time uses it; the view must stay open. Rows are valid until the view is closed. Rows of a restricted view may
/// be copies, which are valid until the body that receives them returns.
package final class QueryExecution {
    /// The work that was done, for `explain`.
    package struct Statistics: Sendable {
        /// The number of rows read, including linked objects and look-ups: the engine's count without ``entriesRead``.
        package var rowsRead = 0
        /// Entries of indexes and primary keys that were read, to plan or to run.
        package var entriesRead = 0
    }

    let transaction: ReadTransaction
    let rowClass: RowClass
    let query: ObjectQuery
    let limits: QueryLimits
    package internal(set) var plan: Plan
    /// The plans that were given up.
    private var plansGivenUp: [FollowedPlan] = []
    /// Whether ``followed`` tells times, which takes a look at the clock for each plan.
    package var isTimed = false {
        didSet { if isTimed { begun = (monotonicMicroseconds(), statistics.rowsRead) } }
    }
    /// The start time of the present plan, if the query is timed, and the numbers of rows and entries read before.
    private var begun: (microseconds: UInt64, rowsRead: Int) = (0, 0)
    /// The position behind which it goes on: the query's, or that of the last object that an earlier plan handed over.
    private(set) var after: QueryPosition?
    var entriesRead = 0
    /// The engine's count before the query.
    private var readBefore: Int
    /// The matcher of the present plan; nil before a row asked for it.
    private(set) var madeMatcher: Matcher?
    /// The effect of the view's visibility on the query; nil where it does not concern it.
    private(set) lazy var visibility = transaction.visibility(on: query)
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
    /// The remaining time for following links does not change.
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

    /// Returns the matcher of the present plan's residual predicate; nil without such a predicate.
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
        // A scan that continues as a scan keeps its prepared parts.
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

extension QueryExecution {
    /// Counts all objects of the query, wherever it goes on.
    package func count() throws(StoreError) -> Int {
        guard query.predicate != nil || visibility?.rule != nil else {
            return try transaction.count(rowClass)
        }
        while true {
            begin()
            let count = try countByPlan()
            try transaction.checkFailure()
            guard isTooExpensive else { return count }
            fallBack()
        }
    }

    private func countByPlan() throws(StoreError) -> Int {
        if visibility == nil, plan.residual == nil, plan.keys == nil,
            case .index(let member, let ranges)? = plan.source
        {
            return try entryCount(of: member, ranges)
        }
        if plan.source == nil, let columns = try columns(readsAll: true), !columns.testsRows {
            return try columns.count()
        }
        if visibility == nil, plan.residual == nil, let keys = try collectedKeys(),
            plan.residual == nil
        {
            return keys.count
        }
        var count = 0
        try forEachMatch { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// Counts the entries of an index, or of the primary keys.
    private func entryCount(of member: Int, _ ranges: [OrderedKeyRange]) throws(StoreError) -> Int {
        let countMax = costMax / QueryCost.entry
        var count = 0
        for range in ranges where count <= countMax {
            try transaction.scanEntries(rowClass.entries(of: member, in: range), expecting: 64) {
                (_, _) throws(StoreError) in
                count += 1
                try transaction.budget.require()
                return count <= countMax
            }
        }
        entriesRead += count
        if count > countMax { isTooExpensive = true }
        return count
    }

    /// Returns the position of an object in the order.
    package func position(_ key: UInt64, _ row: RowView) -> QueryPosition {
        order.position(key, row)
    }

    /// The cost of finding where an object's inverse links begin, in rows of a scan.
    private static let walkCost = 4

    /// Reads every match and keeps the first `limit` behind the query's position.
    func sort(limit: Int, _ body: (UInt64, RowView) -> Bool) throws(StoreError) {
        if plan.source == nil, let columns = try columns(readsAll: true),
            try columns.sort(
                by: order, limit: limit, after: after,
                memoryByteCountMax: limits.memoryByteCountMax, body)
        {
            return
        }
        let order = order
        var heap = PageHeap(countMax: limit, byteCountMax: limits.memoryByteCountMax)
        let buffer = ByteBuffer(capacity: 256)
        var hasRoom = true
        // Walks along inverse links cost as many rows as they read; where they come to as much as one pass over the objects
        // that hold the links, that is made instead. So many walks are certain:
        let isWhole = plan.source == nil && plan.residual == nil
        let totalCost = try order.totalCost() ?? .max
        var walkCost = 0
        if isWhole, totalCost < .max {
            let count = Int(clamping: try transaction.classState(rowClass).count)
            walkCost = QueryCost.times(count, Self.walkCost)
        }
        try forEachMatch { key, row in
            buffer.removeAll()
            if walkCost > totalCost {
                order.total(byteCountMax: limits.memoryByteCountMax / 2)
                walkCost = .min
            }
            let readBefore = totalCost < .max ? transaction.entriesRead : 0
            order.append(key, row, to: buffer)
            if totalCost < .max { walkCost += transaction.entriesRead - readBefore + Self.walkCost }
            if let position = after, !order.comesAfter(buffer.bytes, key, position) { return true }
            // A copy that was made for a restricted view is released.
            let kept = transaction.restricted == nil ? row : nil
            hasRoom = heap.insert(buffer.bytes, key, kept, by: order)
            return hasRoom
        }
        if !hasRoom { throw .stopped(.memory) }
        // Rows of a plan that is given up are not the beginning of the order.
        if isTooExpensive { return }
        for entry in try heap.sorted(by: order) {
            let shown = transaction.shownMark
            defer { transaction.releaseShown(to: shown) }
            guard let row = try entry.row == nil ? fetch(entry.key) : entry.row else { continue }
            if !body(entry.key, row) { return }
        }
    }
}
