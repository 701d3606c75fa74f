import HoldfastQuery
import HoldfastRows

/// An estimate of a query's matches and costs, before the first object is looked for.
struct PlanEstimate {
    /// Some candidates whose common keys are looked up, and what that is likely to cost.
    struct Keys {
        var used: [Int]
        var cost: Int
        /// The likely cost where all of them are looked up.
        var wholeCost: Int
    }

    /// The likely number of matches; at least 1.
    var matches: Int
    /// The candidates whose common keys cost least; nil when there are none.
    var keys: Keys?
}

/// Plans that look up the keys of sources.
extension Planner {
    /// Estimates the number of matches, and finds the candidates that cost least.
    ///
    /// - `matchCount`: The number of matches, where that is known beside the sample.
    func estimate(_ matchCount: Int?, _ total: Int) -> PlanEstimate {
        let guessed = candidates.map(\.count).min() ?? total
        let isOne = conjuncts.count == 1 || candidates.contains { $0.keys != nil }
        let matches =
            matchCount ?? sample.map { $0.scaled($0.matchCount, to: total) }
            ?? guessed / (isOne ? 1 : 4)
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
            // Where no row of a sample has all of them, they are taken to have nothing to do with each other.
            let sampled = sample?.count(used) ?? 0
            let whole = Double(max(1, total))
            let common = candidates.reduce(whole) { $0 * Double($1.count) / whole }
            keyCount = min(
                keyCount,
                sampled > 0 ? sample?.scaled(sampled, to: total) ?? total : Int(common) + 1)
        }
        let isCovered = residual(candidates) == nil
        // Objects that stand in the wanted order are read no further than a page needs.
        let isOrdered = query.sort.isEmpty && !query.isCounted
        var rowCount = keyCount
        if isCovered, query.isCounted, sight == nil {
            rowCount = 0
        } else if query.sort.isEmpty, let wanted = query.expectedCount {
            rowCount = min(
                keyCount,
                isCovered ? wanted : QueryCost.times(wanted, keyCount) / matches + 1)
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
