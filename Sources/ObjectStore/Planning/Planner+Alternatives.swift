import Query
import Rows

extension QueryExecution {
    /// Every plan that applies to a query, its usual ones and others that would not be chosen; for tests.
    ///
    /// Each gives the same objects in the same order from every position. Some are given up on the way and
    /// go on by another one.
    package static func alternatives(
        of query: ObjectQuery, in transaction: ReadTransaction
    ) throws(Failure) -> [Plan] {
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
        plans.append(try planner.plan())
        plans.append(.scan(query))
        if let predicate = query.predicate {
            plans += try planner.alternatives(predicate)
        } else if let natural = planner.naturalPlan([], nil) {
            plans.append(natural)
        }
        var different: [Plan] = []
        for plan in plans where !different.contains(plan) { different.append(plan) }
        return different
    }
}

extension Planner {
    /// The plans that each candidate gives alone and with others, read before or while they are followed,
    /// and given up early.
    fileprivate mutating func alternatives(_ predicate: Predicate) throws(Failure) -> [Plan] {
        let own = search.constraints(predicate)
        var plans = own.map { plan($0) }
        if let natural = naturalPlan(own, predicate) {
            plans.append(natural)
            plans += own.compactMap { constraint in
                constraint.ranges == [.all] ? nil : naturalPlan([], predicate)
            }
        }
        var candidates = own.map { search.candidate($0, predicate.conjuncts) }
        var cost = 0
        for var candidate in search.further(predicate, beside: []) {
            candidate.source = try planned(candidate.source, &cost)
            candidates.append(candidate)
        }
        let order: Plan.Order = query.sort.isEmpty ? .collectKeys : .sort
        var groups = candidates.map { [$0] }
        for (index, first) in candidates.enumerated() {
            for second in candidates[(index + 1)...] { groups.append([first, second]) }
        }
        if candidates.count > 2 { groups.append(candidates) }
        for group in groups {
            var plan = Plan(
                access: .keys(group.count == 1 ? group[0].source : .all(group.map(\.source))),
                order: order,
                residual: PlanCandidate.residual(predicate.conjuncts, coveredBy: group))
            plans.append(plan)
            var collector = KeyCollector(transaction, limits)
            guard case .keys(let source) = plan.access else { continue }
            plan.keys = try collector.keys(source, of: rowClass)
            plans.append(plan)
        }
        // What reads in order is given up after a few rows, in favour of each other plan in turn.
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
