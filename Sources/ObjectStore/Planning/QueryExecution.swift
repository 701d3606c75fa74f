import Bytes
import Query
import Rows
import Storage

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
    package private(set) var plan: Plan
    /// The plans that were given up.
    private var earlierPlans: [Plan] = []
    /// The plans that were followed so far, the present one last.
    package var plans: [Plan] { earlierPlans + [plan] }
    /// Where to go on: behind the query's position, or what was handed over by an earlier plan.
    private(set) var after: QueryPosition?
    private(set) var entriesRead = 0
    /// What the engine had counted before the query.
    private let readBefore: Int
    private var matcher: Matcher?
    /// The order of the query's result.
    private(set) lazy var order = ObjectOrder(query.sort, of: rowClass, in: transaction)
    private var stepCount = 0
    /// At how many steps the clock is looked at next.
    private var nextLook = stepCountUnseen
    /// So many steps are made between two looks at the clock.
    private static let stepCountUnseen = 1024
    /// Why planning failed, which running tells.
    private var planningFailure: Failure?
    /// What the present plan has cost, see ``QueryCost``: what it read beside the entries it has to.
    private(set) var costSpent = 0
    /// What the present plan may cost.
    private(set) var costMax = Int.max
    /// How many rows the present plan has asked its conditions about.
    private var stepsTaken = 0
    /// What a row of a scan costs, as far as is known.
    private var rowCost = QueryCost.scannedRow
    /// What earlier plans have cost.
    private var costSpentBefore = 0
    /// Behind which object key a scan that became too dear goes on.
    private var scannedKey: UInt64?
    /// Whether the present plan was given up because of that.
    private(set) var isTooDear = false
    /// What columns can do for a scan by the present plan; nil before anybody asked.
    private var columnScan: ColumnScan??

    /// Plans a query.
    package init(
        _ query: ObjectQuery, in transaction: ReadTransaction, limits: QueryLimits = QueryLimits()
    )
        throws(StoreError)
    {
        self.transaction = transaction
        self.query = query
        self.limits = limits
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
        matcher = Self.matcher(plan, transaction, limits)
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
        matcher = Self.matcher(plan, transaction, limits)
    }

    private static func matcher(
        _ plan: Plan, _ transaction: ReadTransaction, _ limits: QueryLimits
    ) -> Matcher? {
        plan.residual?.makeMatcher(
            transaction.rows, source: transaction, until: limits.deadlineMilliseconds)
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
            switch plan.fallback {
            case .none: break
            case .after(let cost, _), .rethink(let cost): costMax = cost
            }
            let (allBefore, entriesBefore) = (transaction.entriesRead, entriesRead)
            try follow(limit: left, take)
            guard isTooDear else { break }
            noteFollowed(transaction.entriesRead - allBefore - (entriesRead - entriesBefore))
            if let scannedKey {
                after = QueryPosition(sortBytes: [], key: scannedKey)
            } else if let last, let row = try fetch(last) {
                after = position(last, row)
            }
            try fallBack()
        }
        try checkFailure()
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
        rowCost = max(rowCost, QueryCost.scannedRow + cost / stepsTaken)
        costSpent += cost
    }

    /// Goes on by another plan than the one that has become too dear.
    private func fallBack() throws(Failure) {
        let next: Plan
        switch plan.fallback {
        case .none: next = .scan(query)
        case .after(_, let other): next = other
        case .rethink:
            costSpentBefore += max(costSpent, 1)
            var planner = Planner(
                query, transaction, limits, costSpent: costSpentBefore, rowCost: rowCost)
            next = try planner.plan()
            entriesRead += planner.entriesRead
        }
        let isSame = next.access == plan.access && next.order == plan.order
        if !isSame { earlierPlans.append(plan) }
        plan = next
        scannedKey = nil
        matcher = Self.matcher(next, transaction, limits)
        columnScan = nil
        costSpent = 0
        stepsTaken = 0
        costMax = .max
        isTooDear = false
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

    /// How many objects the query has in all, wherever it goes on.
    package func count() throws(Failure) -> Int {
        if let planningFailure { throw planningFailure }
        guard query.predicate != nil else {
            do { return try transaction.count(rowClass) } catch { throw .store(error) }
        }
        if case .scan = plan.access, let columns = try columns(readsAll: true) {
            let count = try columns.count()
            try checkFailure()
            return count
        }
        let count: Int
        switch plan.access {
        case .primaryKey(let ranges) where plan.residual == nil && plan.keys == nil:
            count = try entryCount(StoreKey.Tag.primaryKey, rowClass.keySpace, ranges)
        case .index(let member, let ranges) where plan.residual == nil && plan.keys == nil:
            count = try entryCount(StoreKey.Tag.index, rowClass.members[member].number, ranges)
        default:
            if plan.residual == nil, let keys = try collectedKeys() {
                count = keys.count
            } else {
                count = try matchCount()
            }
        }
        try checkFailure()
        return count
    }

    private func matchCount() throws(Failure) -> Int {
        var count = 0
        try forEachMatch { _, _ in
            count += 1
            return true
        }
        return count
    }

    // MARK: Reading

    /// How many rows a scan reads that columns would have been worth while for.
    private static let longScanCount = 1 << 14

    func checkFailure() throws(Failure) {
        do throws(StoreError) { try transaction.checkFailure() } catch { throw .store(error) }
        if transaction.isLate { throw .time }
        switch matcher?.failure ?? columnScan??.failure {
        case .time: throw .time
        case .memory: throw .memory
        case nil: break
        }
    }

    /// Counts a step of the query and looks at the clock now and then.
    func isInTime() -> Bool {
        stepCount += 1
        guard stepCount >= nextLook, limits.deadlineMilliseconds != .max else { return true }
        nextLook = stepCount + Self.stepCountUnseen
        return !transaction.isOver(limits.deadlineMilliseconds)
    }

    func fetch(_ key: UInt64) throws(Failure) -> RowView? {
        do { return try transaction.find(rowClass, key: key) } catch { throw .store(error) }
    }

    /// The columns that can answer the plan's residual predicate, or a part of it; nil for none.
    ///
    /// - `readsAll`: Whether the scan goes over all objects of the class, however many match.
    func columns(readsAll: Bool) throws(Failure) -> ColumnScan? {
        if let columnScan { return columnScan }
        do throws(StoreError) {
            let made = try ColumnScan(
                plan.residual, rowClass, sort: plan.order == .sort ? query.sort : [],
                in: transaction, readsAll: readsAll,
                deadlineMilliseconds: limits.deadlineMilliseconds)
            columnScan = .some(made)
            return made
        } catch {
            throw .store(error)
        }
    }

    /// Walks the objects of the class that satisfy the predicate, in the order of object keys.
    ///
    /// - `readsAll`: Whether `body` will want all of them.
    private func scan(
        after first: UInt64, readsAll: Bool = false, _ body: (UInt64, RowView) -> Bool
    ) throws(Failure) {
        // A look at the first rows, which may cost only so much, is no use of the columns.
        if matcher != nil, costMax == .max, let columns = try columns(readsAll: readsAll) {
            return try columns.scan(after: first, body)
        }
        var rowCount = 0
        var stepCount = 0
        var nextLook = Self.stepCountUnseen
        var isLate = false
        let deadline = limits.deadlineMilliseconds
        let rowCountMax =
            costMax == .max ? Int.max : max(0, costMax - costSpent) / rowCost
        defer {
            stepsTaken &+= min(rowCount, rowCountMax)
            costSpent &+= min(rowCount, rowCountMax) * QueryCost.scannedRow
            if rowCount >= Self.longScanCount, !readsAll {
                ColumnScan.countUse(plan.residual, rowClass, in: transaction)
            }
        }
        func isInTime(_ key: UInt64, _ row: RowView) -> Bool {
            rowCount += 1
            if rowCount > rowCountMax {
                isTooDear = true
                scannedKey = key - 1
                return false
            }
            stepCount += Self.steps(row)
            guard stepCount >= nextLook, deadline != .max else { return true }
            nextLook = stepCount + Self.stepCountUnseen
            isLate = transaction.isOver(deadline)
            return !isLate
        }
        do {
            if let matcher {
                // The unwrapped local is captured: a property or an optional would be retained and
                // released for every row.
                let source = transaction
                try transaction.scan(rowClass, after: first) { key, row in
                    guard isInTime(key, row) else { return false }
                    return matcher.matches(row: row, key: key, source: source)
                        ? body(key, row) : true
                }
            } else {
                try transaction.scan(rowClass, after: first) { key, row in
                    isInTime(key, row) && body(key, row)
                }
            }
        } catch {
            throw .store(error)
        }
        if isLate { throw .time }
    }

    /// How many entries an index, or the primary keys, have in some ranges.
    private func entryCount(
        _ tag: UInt8, _ number: UInt32, _ ranges: [OrderedKeyRange]
    ) throws(Failure) -> Int {
        var count = 0
        var isLate = false
        let deadline = limits.deadlineMilliseconds
        do throws(StorageError) {
            for range in ranges where !isLate {
                try transaction.snapshot.scan(
                    EntryRange.keyRange(tag, number, range), reversed: false, expecting: 64
                ) { _, _ in
                    count += 1
                    guard count & (Self.stepCountUnseen - 1) == 0, deadline != .max else {
                        return true
                    }
                    isLate = monotonicMilliseconds() >= deadline
                    return !isLate
                }
            }
        } catch {
            throw .store(.storage(error))
        }
        entriesRead += count
        if isLate { throw .time }
        return count
    }

    /// Walks the entries of the plan's index or of the primary keys.
    func forEachEntry(
        _ ranges: [KeyRange], reversed: Bool,
        _ body: (_ entry: UnsafeRawBufferPointer, _ key: UInt64) throws(Failure) -> Bool
    ) throws(Failure) {
        let isPrimary = if case .primaryKey = plan.access { true } else { false }
        var failure: Failure?
        var goesOn = true
        for range in reversed ? ranges.reversed() : ranges where goesOn {
            do throws(StorageError) {
                try transaction.snapshot.scan(range, reversed: reversed, expecting: 64) {
                    entry, value in
                    entriesRead += 1
                    guard isInTime() else {
                        failure = .time
                        return false
                    }
                    let key: UInt64
                    if isPrimary {
                        guard value.count == 8 else { return true }
                        key = UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))
                    } else {
                        key = StoreKey.trailingObjectKey(entry)
                    }
                    do throws(Failure) { goesOn = try body(entry, key) } catch {
                        failure = error
                        goesOn = false
                    }
                    return goesOn
                }
            } catch {
                throw .store(.storage(error))
            }
            if let failure { throw failure }
        }
    }

    /// How many steps of the query a row counts for: a large one takes longer to read, and what lies outside
    /// it may have megabytes.
    private static func steps(_ row: RowView) -> Int {
        row.holdsOutside ? stepCountUnseen : 1 + row.byteCount >> 10
    }

    func test(_ key: UInt64, _ row: RowView) -> Bool {
        stepCount += Self.steps(row)
        return matcher?.matches(row: row, key: key, source: transaction) ?? true
    }

    /// Hands over every match in whatever order the plan's access gives.
    func forEachMatch(_ body: (UInt64, RowView) throws(Failure) -> Bool) throws(Failure) {
        if let keys = try collectedKeys() {
            for key in keys {
                guard isInTime() else { throw .time }
                guard pays(QueryCost.risingRow) else { return }
                guard let row = try fetch(key), test(key, row) else { continue }
                guard try body(key, row) else { return }
            }
            return
        }
        switch plan.access {
        case .nothing, .keys: return
        case .scan:
            var failure: Failure?
            try scan(after: 0, readsAll: true) { key, row in
                do throws(Failure) { return try body(key, row) } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
        case .primaryKey, .index:
            let ranges = EntryRange.ranges(plan.access, rowClass)
            try forEachEntry(ranges, reversed: false) { (_, key) throws(Failure) in
                guard pays(QueryCost.entry + QueryCost.anyRow) else { return false }
                guard let row = try fetch(key), test(key, row) else { return true }
                return try body(key, row)
            }
        }
    }

    /// The object keys of the access, rising, where they are put together before rows are read; else nil.
    func collectedKeys() throws(Failure) -> [UInt64]? {
        if let keys = plan.keys { return keys }
        guard case .keys(let source) = plan.access else { return nil }
        var collector = KeyCollector(transaction, limits)
        defer { entriesRead += collector.entriesRead }
        return try collector.keys(source, of: rowClass)
    }
}
