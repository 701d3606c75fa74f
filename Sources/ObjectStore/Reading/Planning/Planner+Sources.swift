import HoldfastQuery
import HoldfastRows

/// Sources of a query's keys.
extension Planner {
    /// Reads the keys of a source, where they cost no more.
    mutating func look(at source: PlanSource, cost: Int) throws(StoreError) -> [UInt64]? {
        var collector = KeyCollector(transaction, limits, cost: cost)
        defer { entriesRead += collector.entriesRead }
        return try collector.keys(source, of: rowClass)
    }

    /// Plans a source that needs more than an index of the class, with its keys where they are few.
    mutating func look(
        at candidate: PlanCandidate, _ scan: ScanCost
    ) throws(StoreError) -> PlanCandidate {
        var candidate = candidate
        let source = try planned(candidate.source, &candidate.startCost)
        candidate.source = source
        // Each word, cell or target of a link is a look-up, and a close cover takes its time too. A scan of rows follows
        // a link of each, so that keys that are known save more.
        var cost = source.needsLookUps ? QueryCost.always : Self.entryCountMax
        if source.followsLinks, !scan.isByColumns { cost = max(cost, min(2048, scan.whole / 256)) }
        if case .points = source, scan.whole >= 32 * QueryCost.cover { cost += QueryCost.cover }
        let keys = try look(at: source, cost: cost)
        // The cells that are found for so little are large: where many points lie in them, closer ones pay.
        if case .points = source, let keys,
            QueryCost.times(keys.count, QueryCost.risingRow) > QueryCost.cover
        {
            return candidate
        }
        candidate.keys = keys
        return candidate
    }

    /// Returns the source with a plan for the objects at the far side of each link.
    ///
    /// - `cost`: Increased by the look-ups before the first key.
    mutating func planned(_ source: PlanSource, _ cost: inout Int) throws(StoreError) -> PlanSource
    {
        switch source {
        case .index(_, let ranges): cost += ranges.count * QueryCost.followed
        case .words: cost += QueryCost.always
        case .points: cost += QueryCost.cover
        case .links(let constraint, _):
            guard case .matching(let predicate) = constraint.far else {
                cost += QueryCost.risingRow
                return source
            }
            var far = ObjectQuery(classIndex: constraint.link.toClass, predicate: predicate)
            // Only their keys are wanted, as for a count.
            far.isCounted = true
            var planner = Planner(far, transaction, limits)
            let plan = try planner.plan()
            entriesRead += planner.entriesRead
            let targets = QueryCost.times(planner.expected.count, QueryCost.risingRow)
            cost = QueryCost.sum(cost, QueryCost.sum(planner.expected.cost, targets))
            return .links(constraint, far: plan)
        case .unrestricted(let own):
            var planner = Planner(query, transaction.unrestricted, limits)
            defer { entriesRead += planner.entriesRead }
            return .unrestricted(try planner.planned(own, &cost))
        case .all(let parts): return .all(try planned(parts, &cost))
        case .any(let parts): return .any(try planned(parts, &cost))
        }
        return source
    }

    private mutating func planned(
        _ parts: [PlanSource], _ cost: inout Int
    ) throws(StoreError) -> [PlanSource] {
        var all: [PlanSource] = []
        for part in parts { all.append(try planned(part, &cost)) }
        return all
    }
}
