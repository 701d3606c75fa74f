import HoldfastQuery
import HoldfastRows
import HoldfastStorage

extension QueryExecution {
    /// Counts all objects of the query, wherever it goes on.
    package func count() throws(StoreError) -> Int {
        guard query.predicate != nil || sight?.rule != nil else {
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
        if sight == nil, plan.residual == nil, plan.keys == nil,
            case .index(let member, let ranges)? = plan.source
        {
            return try entryCount(of: member, ranges)
        }
        if plan.source == nil, let columns = try columns(readsAll: true), !columns.testsRows {
            return try columns.count()
        }
        if sight == nil, plan.residual == nil, let keys = try collectedKeys(), plan.residual == nil
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
    private func entryCount(
        of member: Int, _ ranges: [OrderedKeyRange]
    ) throws(StoreError) -> Int {
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
}
