import HoldfastQuery
import HoldfastRows

/// The choice between a walk in the wanted order, the keys of some sources, and a scan.
extension Planner {
    /// Chooses the plan that is likely to cost least.
    mutating func choose(_ own: [PlanCandidate], _ natural: Plan?) throws(StoreError) -> Plan {
        candidates = own
        let further = further(beside: own)
        if own.isEmpty, further.isEmpty, natural == nil {
            // The query that this may be a part of needs the cost.
            if query.isCounted { expected = (try scanCost().whole, try total()) }
            return .scan(query)
        }
        let total = try total()
        let scan = try scanCost()
        if scan.isByColumns, isPage, try isFilled() { return scanPlan(scan) }
        let mayLookUp = !scan.isByColumns || scan.whole >= 16 * QueryCost.always
        for candidate in further where mayLookUp || !candidate.source.needsLookUps {
            candidates.append(try look(at: candidate, scan))
        }
        for index in candidates.indices { candidates[index].guess(total) }
        let estimate = estimate(try matchesByColumns(scan, total), total)
        let range = own.firstIndex { $0.member == sortMember?.member }
        expected = (min(estimate.keys?.cost ?? .max, scan.whole), estimate.matches)
        let keys = estimate.keys.map { best in
            plan(best.used.map { candidates[$0] }.sorted { $0.count < $1.count })
        }
        guard let natural else { return scanOrKeys(scan, estimate, keys, total) }
        let rangeCount = range.map { candidates[$0].count } ?? total
        let walk = walkCost(rangeCount, estimate.matches)
        // The entries of the range that is walked, all of them and not in its order, would be no better.
        return walkOr(natural, walk, scan, estimate, keys == natural ? nil : keys, total)
    }

    // MARK: The parts of the choice

    /// Estimates the cost of a walk in the wanted order until it has the wanted objects.
    fileprivate func walkCost(_ rangeCount: Int, _ matches: Int) -> Int {
        let row = QueryCost.entry + lookUp.any + testCost
        guard let wanted = query.expectedCount else { return QueryCost.times(rangeCount, row) }
        let walked = max(wanted, QueryCost.times(wanted, rangeCount) / matches + 1)
        return QueryCost.times(min(rangeCount, walked), row)
    }

    /// Makes a walk in the wanted order as long as it costs less than the plan behind it.
    private func walkOr(
        _ natural: Plan, _ walk: Int, _ scan: ScanCost, _ estimate: PlanEstimate, _ keys: Plan?,
        _ total: Int
    ) -> Plan {
        let keyCost = keys == nil ? Int.max : estimate.keys?.cost ?? .max
        guard let wanted = query.expectedCount else {
            // Where all is wanted, an order by an index needs no memory and a sort does.
            guard var keys, keyCost < walk else { return natural }
            if keys.keys == nil { keys.fallback = .after(cost: walk, natural) }
            return keys
        }
        let rest = scanOrKeys(scan, estimate, keys, total)
        // The matches of the first chunk are sorted before any other is ruled out by them.
        let sortCost = beginning?.matchCount ?? 0
        let restCost = min(keyCost, QueryCost.sum(scan.whole, sortCost))
        // Values may correlate: the first objects of the order may fill the page although few objects match. So a part of
        // the cost of the next best plan is always spent on the walk. At least two pages, or about 40 µs, are spent if
        // the cost of the next best plan is a guess.
        let page = QueryCost.times(wanted, QueryCost.entry + lookUp.any)
        var walkMax = restCost / (scan.isByColumns ? 32 : 6)
        if !scan.isByColumns, keys?.keys == nil {
            walkMax = max(walkMax, min(scan.whole / 3, max(2 * page, 8 * QueryCost.always)))
        }
        if walk < restCost / 5 * 2 { walkMax = max(walkMax, min(2 * walk, restCost / 5 * 2)) }
        guard page <= walkMax else { return rest }
        var plan = natural
        plan.fallback = .after(cost: walkMax, rest)
        return plan
    }

    /// Chooses a scan, or the rows of some keys: the one that is likely to cost less, with the other behind it where
    /// that is not sure.
    private func scanOrKeys(
        _ scan: ScanCost, _ estimate: PlanEstimate, _ keys: Plan?, _ total: Int
    ) -> Plan {
        var scanned = scanPlan(scan)
        guard let best = estimate.keys, var keys else { return scanned }
        let scanCost = pageCost(scan, estimate.matches, total)
        // A few that are known already are read at once.
        let isFew = !scan.isByColumns && keys.keys?.count ?? .max <= Self.entryCountMax
        if isFew || best.cost < scanCost {
            if keys.keys == nil {
                let goesByKey = query.sort.isEmpty && !query.isCounted
                let most = goesByKey ? scan.whole / 2 : scan.whole
                keys.fallback = .after(cost: max(most, 2 * best.cost), scanned)
            }
            return keys
        }
        // Matches that are not found by then are rarer than estimated, or come later.
        if isPage, best.wholeCost < scan.whole / 2 || !scan.isByColumns {
            keys.fallback = .after(cost: scan.whole, .scan(query))
            scanned.fallback = .after(cost: max(2 * scanCost, QueryCost.always), keys)
        }
        return scanned
    }

    /// Estimates the cost of a scan until it has the wanted objects.
    private func pageCost(_ scan: ScanCost, _ matches: Int, _ total: Int) -> Int {
        guard isPage, let wanted = query.expectedCount else { return scan.whole }
        let cost = min(scan.whole, scan.cost(ofFirst: QueryCost.times(wanted, total) / matches))
        // Columns leave the rows that match to be read, and other rows are read to be tested.
        return scan.isByColumns ? cost + QueryCost.times(min(wanted, matches), lookUp.rising) : cost
    }
}

/// An estimate of a query's matches and costs, before the first object is looked for.
struct PlanEstimate {
    /// Some candidates whose common keys are looked up, and the likely cost of that.
    struct Keys {
        var used: [Int]
        var cost: Int
        /// The likely cost where all of them are looked up.
        var wholeCost: Int
    }

    /// The likely number of matches; at least 1.
    var matches: Int
    /// The candidates whose common keys cost least; nil without candidates.
    var keys: Keys?
}

/// Plans that look up the keys of sources.
extension Planner {
    /// Estimates the number of matches, and finds the candidates that cost least.
    ///
    /// - `matchCount`: The number of matches, if columns show it.
    func estimate(_ matchCount: Int?, _ total: Int) -> PlanEstimate {
        let guessed = candidates.map(\.count).min() ?? total
        let isOne = conjuncts.count == 1 || candidates.contains { $0.keys != nil }
        let matches = matchCount ?? guessed / (isOne ? 1 : 4)
        var estimate = PlanEstimate(matches: max(1, matches))
        func consider(_ used: [Int]) {
            let keys = keys(used, estimate.matches, total)
            if keys.cost < estimate.keys?.cost ?? .max { estimate.keys = keys }
        }
        for index in candidates.indices { consider([index]) }
        for index in candidates.indices.sorted(by: { candidates[$0].count < candidates[$1].count })
        {
            if let used = estimate.keys?.used, !used.contains(index) { consider(used + [index]) }
        }
        return estimate
    }

    private func keys(_ used: [Int], _ matches: Int, _ total: Int) -> PlanEstimate.Keys {
        let candidates = used.map { self.candidates[$0] }
        var keyCount = candidates.map(\.count).min() ?? total
        if used.count > 1 {
            // The sources are taken to be independent.
            let whole = Double(max(1, total))
            let common = candidates.reduce(whole) { $0 * Double($1.count) / whole }
            keyCount = min(keyCount, Int(common) + 1)
        }
        let isCovered = residual(candidates) == nil
        // Objects that stand in the wanted order are read no further than a page needs.
        let isOrdered = query.sort.isEmpty && !query.isCounted
        var rowCount = keyCount
        if isCovered, query.isCounted, visibility == nil {
            rowCount = 0
        } else if query.sort.isEmpty, let wanted = query.expectedCount {
            rowCount = min(
                keyCount, isCovered ? wanted : QueryCost.times(wanted, keyCount) / matches + 1)
        }
        var cost = QueryCost.times(rowCount, lookUp.rising + testCost)
        for candidate in candidates {
            switch candidate.source {
            case .words where used.count == 1 && isOrdered && isCovered:
                cost += min(
                    candidate.cost, candidate.startCost + rowCount * 2 * QueryCost.risingRow)
            case .index where used.count == 1 && isOrdered && candidate.source.isSingleIndexValue:
                cost += rowCount * QueryCost.entry
            default: cost = QueryCost.sum(cost, candidate.cost)
            }
        }
        return PlanEstimate.Keys(
            used: used, cost: cost,
            wholeCost: QueryCost.sum(cost, QueryCost.times(keyCount, lookUp.rising)))
    }
}
