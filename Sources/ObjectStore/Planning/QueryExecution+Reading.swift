import Bytes
import Query
import Rows
import Storage

extension QueryExecution {
    /// How many rows a scan reads that columns would have been worth while for.
    private static let longScanCount = 1 << 14

    func checkFailure() throws(Failure) {
        do throws(StoreError) { try transaction.checkFailure() } catch { throw .store(error) }
        if transaction.isLate { throw .time }
        switch madeMatcher?.failure ?? columnScan??.failure {
        case .time: throw .time
        case .memory: throw .memory
        case .pattern: throw .pattern
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
        if let begun = preparedScan?.begun {
            preparedScan = nil
            columnScan = .some(begun)
            return begun
        }
        do throws(StoreError) {
            let made = try ColumnScan(
                plan.residual, rowClass, sort: plan.order == .sort ? query.sort : [],
                in: transaction, readsAll: readsAll,
                deadlineMilliseconds: limits.deadlineMilliseconds, prepared: preparedScan)
            // A program is bound to the columns of one scan.
            preparedScan = nil
            columnScan = .some(made)
            return made
        } catch {
            throw .store(error)
        }
    }

    /// Walks the objects of the class that satisfy the predicate, in the order of object keys.
    ///
    /// - `readsAll`: Whether `body` will want all of them.
    func scan(
        after first: UInt64, readsAll: Bool = false, _ body: (UInt64, RowView) -> Bool
    ) throws(Failure) {
        // A look at the first rows, which may cost only so much, is no use of the columns.
        if plan.residual != nil, costMax == .max || plan.chunkCost != nil,
            let columns = try columns(readsAll: readsAll)
        {
            defer {
                // Columns that would have spared all those rows.
                if columns.testedRowCount >= Self.longScanCount, !readsAll {
                    ColumnScan.countUse(plan.residual, rowClass, in: transaction)
                }
            }
            return try scan(columns, after: first, body)
        }
        var rowCount = 0
        var stepCount = 0
        var nextLook = Self.stepCountUnseen
        var isLate = false
        let deadline = limits.deadlineMilliseconds
        let isGuarded = costMax < .max
        let readBefore = transaction.entriesRead
        defer {
            if rowCount >= Self.longScanCount, !readsAll {
                ColumnScan.countUse(plan.residual, rowClass, in: transaction)
            }
        }
        func isInTime(_ key: UInt64, _ row: RowView) -> Bool {
            rowCount += 1
            if isGuarded {
                // What was read beside the rows of the scan, which are counted at its end.
                let followed = transaction.entriesRead - readBefore
                costSpent =
                    rowCount * (QueryCost.scannedRow + testCost) + followed * QueryCost.followed
                if costSpent > costMax {
                    isTooExpensive = true
                    scannedKey = key - 1
                    return false
                }
            }
            stepCount += Self.steps(row)
            guard stepCount >= nextLook, deadline != .max else { return true }
            nextLook = stepCount + Self.stepCountUnseen
            isLate = transaction.isOver(deadline)
            return !isLate
        }
        do {
            if let matcher = matcher() {
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

    /// Walks them by columns, as far as that may cost.
    private func scan(
        _ columns: ColumnScan, after first: UInt64, _ body: (UInt64, RowView) -> Bool
    ) throws(Failure) {
        var chunkCountMax = Int.max
        if costMax < .max, let chunkCost = plan.chunkCost {
            chunkCountMax = max(1, (costMax - costSpent) / chunkCost)
        }
        guard let last = try columns.scan(after: first, chunkCountMax: chunkCountMax, body) else {
            return
        }
        costSpent = costMax
        scannedKey = last
        isTooExpensive = true
    }

    /// How many steps of the query a row counts for: a large one takes longer to read, and its
    /// out-of-line values may have megabytes.
    private static func steps(_ row: RowView) -> Int {
        row.holdsOverflow ? stepCountUnseen : 1 + row.byteCount >> 10
    }

    func test(_ key: UInt64, _ row: RowView) -> Bool {
        stepCount += Self.steps(row)
        return matcher()?.matches(row: row, key: key, source: transaction) ?? true
    }

    /// Tests a row and adds the cost of other rows that were read for it, so that a walk along expensive links ends sooner.
    func testPaying(_ key: UInt64, _ row: RowView) -> Bool {
        let before = transaction.entriesRead
        let isMatch = test(key, row)
        let cost = (transaction.entriesRead - before) * QueryCost.followed
        costSpent &+= cost
        return isMatch
    }

    /// Hands over every match in whatever order the plan's access gives.
    func forEachMatch(_ body: (UInt64, RowView) throws(Failure) -> Bool) throws(Failure) {
        if let keys = try collectedKeys(isSorted: true) {
            // All are read: it is known now whether that costs too much.
            guard !isTooExpensive,
                pays(QueryCost.times(keys.count, lookUp.rising + testCost))
            else { return }
            for key in keys {
                guard isInTime() else { throw .time }
                guard let row = try fetch(key), test(key, row) else { continue }
                guard try body(key, row) else { return }
            }
            return
        }
        switch plan.access {
        case .nothing, .keys, .primaryKey, .index: return
        case .scan:
            var failure: Failure?
            try scan(after: 0, readsAll: true) { key, row in
                do throws(Failure) { return try body(key, row) } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
        }
    }

    /// The object keys of the access, rising, where they are put together before rows are read; else nil.
    /// Where they cost too much the plan is given up, and there are none.
    ///
    /// - `isSorted`: Whether those of an index, or of primary keys, are put together as well.
    /// - `page`: Behind which key they may begin, and how many are wanted; nil for all.
    func collectedKeys(
        isSorted: Bool = false, page: (after: UInt64, limit: Int)? = nil
    ) throws(Failure) -> [UInt64]? {
        if let keys = plan.keys { return keys }
        let source: PlanSource
        switch plan.access {
        case .keys(let own): source = own
        case .primaryKey(let ranges) where isSorted: source = .primaryKey(ranges: ranges)
        case .index(let member, let ranges) where isSorted:
            source = .index(member: member, ranges: ranges)
        case .nothing, .scan, .primaryKey, .index: return nil
        }
        var collector = KeyCollector(
            transaction, limits, cost: costMax == .max ? .max : max(0, costMax - costSpent),
            rowCost: lookUp.rising)
        defer { entriesRead += collector.entriesRead }
        let keys: [UInt64]?
        if case .words(let index, let search) = source, plan.residual == nil, let page {
            keys = try collector.words(index, search, after: page.after, limit: page.limit)
        } else {
            keys = try collector.keys(source, of: rowClass)
        }
        guard let keys else {
            isTooExpensive = true
            return []
        }
        if collector.hasLeftOut {
            plan.residual = query.predicate
            plan.keys = keys
        }
        return keys
    }
}
