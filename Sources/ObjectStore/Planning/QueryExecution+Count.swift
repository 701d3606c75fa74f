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
        while true {
            begin()
            let count = try countByPlan()
            try checkFailure()
            guard isTooExpensive else { return count }
            fallBack()
        }
    }

    private func countByPlan() throws(Failure) -> Int {
        if plan.residual == nil, plan.keys == nil, let own = try entryCount() { return own }
        if case .scan = plan.access, let columns = try columns(readsAll: true) {
            return try columns.count()
        }
        if plan.residual == nil, let keys = try collectedKeys(), plan.residual == nil {
            return keys.count
        }
        return try matchCount()
    }

    private func matchCount() throws(Failure) -> Int {
        var count = 0
        try forEachMatch { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// How many entries the plan's index, or the primary keys, have; nil for other plans.
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
    ) throws(Failure) -> Int {
        let countMax = costMax / QueryCost.entry
        var count = 0
        var nextLook = Self.stepCountUnseen
        var isLate = false
        do throws(StorageError) {
            for range in ranges where !isLate && count <= countMax {
                try transaction.snapshot.scan(
                    EntryRange.keyRange(tag, number, range), reversed: false, expecting: 64
                ) { _, _ in
                    count += 1
                    if count == nextLook {
                        nextLook += Self.stepCountUnseen
                        isLate = transaction.isOver(limits.deadlineMilliseconds)
                    }
                    return !isLate && count <= countMax
                }
            }
        } catch {
            throw .store(.storage(error))
        }
        entriesRead += count
        if isLate { throw .time }
        if count > countMax { isTooExpensive = true }
        return count
    }
}
