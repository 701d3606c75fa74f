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
        var tally = EntryTally()
        do throws(StorageError) {
            for range in ranges where tally.goesOn {
                try transaction.snapshot.scan(
                    EntryRange.keyRange(tag, number, range), reversed: false, expecting: 64
                ) { _, _ in
                    tally.count += 1
                    return tally.count < tally.nextLook || goesOn(&tally)
                }
            }
        } catch {
            throw .store(.storage(error))
        }
        entriesRead += tally.count
        if tally.isLate { throw .time }
        guard tally.count < tally.countMax else {
            replace(by: .scan(query))
            return nil
        }
        return tally.count
    }

    /// Looks whether columns would count sooner, and at the clock.
    private func goesOn(_ tally: inout EntryTally) -> Bool {
        if tally.countMax == .max,
            let scan = ColumnScan.estimate(query, rowClass, in: transaction)
        {
            tally.countMax = max(tally.count, scan.cost.whole / 32)
            preparedScan = scan.prepared
        }
        tally.nextLook = min(tally.count + Self.stepCountUnseen, tally.countMax)
        tally.isLate = transaction.isOver(limits.deadlineMilliseconds)
        return tally.goesOn
    }
}

/// Entries that are being counted.
///
/// One value, handed from one function to the next: variables that a local function shares with a closure
/// would be allocated, each alone.
private struct EntryTally {
    var count = 0
    /// How many are counted before columns would have done it; unknown before the first look.
    var countMax = Int.max
    /// At how many there is a look at what else could be done.
    var nextLook = QueryCost.always / 2
    /// Whether the query's time is over.
    var isLate = false

    var goesOn: Bool { !isLate && count < countMax }
}
