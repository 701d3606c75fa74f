import HoldfastQuery
import HoldfastRows

extension QueryExecution {
    /// Makes every plan that applies to a query, its usual ones and others that would not be chosen; for tests.
    ///
    /// Each gives the same objects in the same order from every position. Some are given up on the way and
    /// go on by another one.
    package static func alternatives(
        of query: ObjectQuery, in transaction: ReadTransaction
    ) throws(StoreError) -> [Plan] {
        var plans: [Plan] = []
        for expected in [nil, 1, 3, 1000] {
            var expecting = query
            expecting.expectedCount = expected
            var planner = Planner(expecting, transaction, QueryLimits())
            plans.append(try planner.plan())
        }
        var counted = query
        counted.isCounted = true
        var planner = Planner(counted, transaction, QueryLimits())
        plans += [try planner.plan(), .scan(query)]
        plans += try planner.alternatives()
        var different: [Plan] = []
        for plan in plans where !different.contains(plan) { different.append(plan) }
        return different
    }
}

extension Planner {
    /// Makes the plans that each candidate gives alone and with others, read before or while they are
    /// followed, and given up early.
    fileprivate mutating func alternatives() throws(StoreError) -> [Plan] {
        var plans = [naturalPlan([], query.predicate)].compactMap { $0 }
        guard query.predicate != nil || sight != nil, var candidates = own() else { return plans }
        plans += candidates.map { plan([$0]) }
        var cost = 0
        for var candidate in further(beside: candidates) {
            candidate.source = try planned(candidate.source, &cost)
            candidates.append(candidate)
        }
        var groups = candidates.map { [$0] }
        for (index, first) in candidates.enumerated() {
            for second in candidates[(index + 1)...] { groups.append([first, second]) }
        }
        if candidates.count > 2 { groups.append(candidates) }
        for group in groups {
            var plan = plan(group)
            plan.order = query.sort.isEmpty ? .collectKeys : .sort
            plans.append(plan)
            guard let source = plan.source else { continue }
            var collector = KeyCollector(transaction, limits)
            plan.keys = try collector.keys(source, of: rowClass)
            plans.append(plan)
        }
        // A walk in order is given up after a few rows, in favour of each other plan in turn.
        let walks = plans.filter { $0.order != .sort } + [.scan(query)]
        for (index, walk) in walks.enumerated() where walk.order != .sort {
            var guarded = walk
            let next = plans.isEmpty ? .scan(query) : plans[index % plans.count]
            guarded.fallback = .after(cost: 3 * QueryCost.anyRow * (index % 3), next)
            plans.append(guarded)
        }
        return plans
    }
}
