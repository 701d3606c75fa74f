import HoldfastQuery
import HoldfastRows

extension QueryExecution {
    /// The number of rows from which on columns would have been worth while for a scan.
    private static let longScanCount = 1 << 14

    func fetch(_ key: UInt64) throws(StoreError) -> RowView? {
        let restricted = plan.satisfiesRule ? transaction.restricted : nil
        restricted?.found = ObjectIdentity(classIndex: rowClass.index, key: key)
        defer { restricted?.found = nil }
        return try transaction.find(rowClass, key: key)
    }

    /// Returns the columns that can answer the plan's residual predicate, or a part of it; nil if no columns can.
    ///
    /// - `readsAll`: Whether the scan goes over all objects of the class, however many match.
    func columns(readsAll: Bool) throws(StoreError) -> ColumnScan? {
        if let columnScan { return columnScan }
        let prepared = preparedScan
        // A program is bound to the columns of one scan.
        preparedScan = nil
        var scan = prepared?.begun
        if scan == nil {
            scan = try ColumnScan(
                plan.residual, rowClass, sort: plan.order == .sort ? query.sort : [],
                in: transaction, readsAll: readsAll, prepared: prepared)
        }
        columnScan = .some(scan)
        return scan
    }

    /// Walks the objects of the class that satisfy the predicate, in the order of object keys.
    ///
    /// - `readsAll`: Whether `body` will want all of them.
    func scan(
        after first: UInt64, readsAll: Bool = false, _ body: (UInt64, RowView) -> Bool
    ) throws(StoreError) {
        // A look at the first rows, which may cost only so much, is no use of the columns.
        if plan.residual != nil, costMax == .max || plan.chunkCost != nil,
            let columns = try columns(readsAll: readsAll)
        {
            defer {
                // Columns would have spared all these rows.
                if columns.testedRowCount >= Self.longScanCount, !readsAll {
                    ColumnScan.countUse(plan.residual, rowClass, in: transaction)
                }
            }
            return try scan(columns, after: first, body)
        }
        var rowCount = 0
        let budget = transaction.budget
        let isGuarded = costMax < .max
        let readBefore = transaction.entriesRead
        defer {
            if rowCount >= Self.longScanCount, !readsAll, visibility == nil {
                ColumnScan.countUse(plan.residual, rowClass, in: transaction)
            }
        }
        func isAffordable(_ key: UInt64) -> Bool {
            rowCount += 1
            guard isGuarded else { return true }
            // Entries read beside the rows of the scan, which are counted at its end.
            let followed = transaction.entriesRead - readBefore
            costSpent = rowCount * (QueryCost.scannedRow + testCost) + followed * QueryCost.followed
            guard costSpent > costMax else { return true }
            isTooExpensive = true
            scannedKey = key - 1
            return false
        }
        func isInTime(_ key: UInt64, _ row: RowView) -> Bool {
            isAffordable(key) && budget.spend(Self.steps(row))
        }
        if let matcher = matcher() {
            // The unwrapped local is captured: a property or an optional would be retained and released for every row.
            let source = transaction
            try transaction.scan(rowClass, after: first, hidden: isAffordable) { key, row in
                guard isInTime(key, row) else { return false }
                return matcher.matches(row: row, key: key, source: source) ? body(key, row) : true
            }
        } else {
            try transaction.scan(rowClass, after: first, hidden: isAffordable) { key, row in
                isInTime(key, row) && body(key, row)
            }
        }
        try budget.requireNoFailure()
    }

    /// Walks them by columns, as far as that may cost.
    private func scan(
        _ columns: ColumnScan, after first: UInt64, _ body: (UInt64, RowView) -> Bool
    ) throws(StoreError) {
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

    /// Returns the steps of the query that a row counts for: a large one takes longer to read, and its
    /// out-of-line values may have megabytes.
    private static func steps(_ row: RowView) -> Int {
        row.holdsOverflow ? Budget.stepsUnseen : 1 + row.byteCount >> 10
    }

    func test(_ key: UInt64, _ row: RowView) -> Bool {
        guard transaction.budget.spend(Self.steps(row)) else { return false }
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

    /// Hands over every match in the order of the plan's source, until `body` returns false.
    func forEachMatch(_ body: (UInt64, RowView) -> Bool) throws(StoreError) {
        guard let keys = try collectedKeys() else {
            return try scan(after: 0, readsAll: true, body)
        }
        // All are read: it is known now whether that costs too much.
        guard !isTooExpensive, pays(QueryCost.times(keys.count, lookUp.rising + testCost)) else {
            return
        }
        _ = try visit(keys[...], cost: 0, body)
    }

    /// Collects the object keys of the plan's source, rising; nil if it has no source and all objects are scanned. If they cost
    /// too much, the plan is given up and the result is empty.
    ///
    /// - `page`: The key behind which they may begin, and the number wanted; nil for all.
    func collectedKeys(page: (after: UInt64, limit: Int)? = nil) throws(StoreError) -> [UInt64]? {
        if let keys = plan.keys { return keys }
        guard let source = plan.source else { return nil }
        var collector = KeyCollector(
            transaction, limits, cost: costMax == .max ? .max : max(0, costMax - costSpent),
            rowCost: lookUp.rising)
        defer { entriesRead += collector.entriesRead }
        let keys: [UInt64]?
        if case .words(let index, let search) = source, plan.residual == nil, visibility == nil,
            let page
        {
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
            plan.satisfiesRule = false
            plan.keys = keys
        }
        return keys
    }
}
