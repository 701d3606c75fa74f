import Query
import Rows
import Storage

extension QueryExecution {
    /// How many objects the query has in all, wherever it goes on.
    package func count() throws(Failure) -> Int {
        if let planningFailure { throw planningFailure }
        guard query.predicate != nil else {
            do { return try transaction.count(rowClass) } catch { throw .store(error) }
        }
        try replanWithoutColumns()
        let count: Int
        if plan.residual == nil, plan.keys == nil, let own = try entryCount() {
            count = own
        } else if case .scan = plan.access, let columns = try columns(readsAll: true) {
            count = try columns.count()
        } else if plan.residual == nil, let keys = try collectedKeys() {
            count = keys.count
        } else {
            count = try matchCount()
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

    /// How many entries the plan's index, or the primary keys, have; nil for other plans, and where columns
    /// turn out to count sooner: then that is the plan.
    private func entryCount() throws(Failure) -> Int? {
        switch plan.access {
        case .primaryKey(let ranges):
            return try entryCount(StoreKey.Tag.primaryKey, rowClass.keySpace, ranges)
        case .index(let member, let ranges):
            return try entryCount(StoreKey.Tag.index, rowClass.members[member].number, ranges)
        case .nothing, .scan, .keys: return nil
        }
    }

    private func entryCount(
        _ tag: UInt8, _ number: UInt32, _ ranges: [OrderedKeyRange]
    ) throws(Failure) -> Int? {
        var count = 0
        var countMax = Int.max
        var nextLook = QueryCost.always / 2
        var isLate = false
        func goesOn() -> Bool {
            if countMax == .max, let scan = ColumnScan.estimate(query, rowClass, in: transaction) {
                countMax = max(count, scan.cost.whole / 32)
                preparedScan = scan.prepared
            }
            nextLook = min(count + Self.stepCountUnseen, countMax)
            isLate = transaction.isOver(limits.deadlineMilliseconds)
            return !isLate && count < countMax
        }
        do throws(StorageError) {
            for range in ranges where !isLate && count < countMax {
                try transaction.snapshot.scan(
                    EntryRange.keyRange(tag, number, range), reversed: false, expecting: 64
                ) { _, _ in
                    count += 1
                    return count < nextLook || goesOn()
                }
            }
        } catch {
            throw .store(.storage(error))
        }
        entriesRead += count
        if isLate { throw .time }
        guard count < countMax else {
            replace(by: .scan(query))
            return nil
        }
        return count
    }
}
