import Query
import Rows

/// What is known of a query's objects before the first is looked for.
struct PlanEstimate {
    /// A set of sources whose common keys are looked up, and what that is likely to cost.
    struct Keys {
        var sources: [Int]
        var cost: Int
        /// What it is likely to cost where all of them are looked up.
        var wholeCost: Int
    }

    /// How many objects are likely to match; at least 1.
    var matches: Int
    /// The sources whose common keys cost least; nil when there are none.
    var keys: Keys?
    /// Whether a sample has told.
    var isSampled: Bool
}

/// Plans that look up the keys of sources.
extension Planner {
    /// How many objects match, and which sources cost least.
    ///
    /// - `matchCount`: How many match, where that is known beside the sample.
    func estimate(
        _ sources: [PlanSourceEstimate], _ conjuncts: [Predicate], _ matchCount: Int?,
        _ sample: SampleCounts?, _ total: Int
    ) -> PlanEstimate {
        let guessed = sources.map(\.count).min() ?? total
        let isOne = conjuncts.count == 1 || sources.contains { $0.keys != nil }
        var matches = guessed / (isOne ? 1 : 4)
        if let sample { matches = sample.scaled(sample.matchCount, to: total) }
        matches = max(1, matchCount ?? matches)
        var best: PlanEstimate.Keys?
        func consider(_ used: [Int]) {
            let keys = keys(used, sources, conjuncts, matches, sample, total)
            if keys.cost < best?.cost ?? .max { best = keys }
        }
        for index in sources.indices { consider([index]) }
        for index in sources.indices.sorted(by: { sources[$0].count < sources[$1].count }) {
            if let used = best?.sources, !used.contains(index) { consider(used + [index]) }
        }
        return PlanEstimate(matches: matches, keys: best, isSampled: sample != nil)
    }

    private func keys(
        _ used: [Int], _ sources: [PlanSourceEstimate], _ conjuncts: [Predicate], _ matches: Int,
        _ sample: SampleCounts?, _ total: Int
    ) -> PlanEstimate.Keys {
        var keyCount = used.map { sources[$0].count }.min() ?? total
        if used.count > 1 {
            // Where no row of a sample has all of them, they are taken to have nothing to do with each other.
            let sampled = sample?.count(used) ?? 0
            let whole = Double(max(1, total))
            let common = used.reduce(whole) { $0 * Double(sources[$1].count) / whole }
            keyCount = min(
                keyCount,
                sampled > 0 ? sample?.scaled(sampled, to: total) ?? total : Int(common) + 1)
        }
        let isCovered =
            PlanCandidate.residual(conjuncts, coveredBy: used.map { sources[$0].candidate }) == nil
        var rowCount = keyCount
        if isCovered, query.isCounted {
            rowCount = 0
        } else if query.sort.isEmpty, let wanted = query.expectedCount {
            rowCount = min(
                keyCount,
                isCovered ? wanted : QueryCost.times(wanted, keyCount) / matches + 1)
        }
        var cost = QueryCost.times(rowCount, lookUp.rising + testCost)
        for index in used {
            let source = sources[index]
            // What stands in the wanted order is read no further than a page needs.
            let isOrdered = used.count == 1 && query.sort.isEmpty && !query.isCounted
            switch source.candidate.source {
            case .words where isOrdered && isCovered:
                cost += min(source.cost, source.startCost + rowCount * 2 * QueryCost.risingRow)
            case .index where isOrdered && source.candidate.source.isSingleIndexValue:
                cost += rowCount * QueryCost.entry
            default: cost = QueryCost.sum(cost, source.cost)
            }
        }
        return PlanEstimate.Keys(
            sources: used, cost: cost,
            wholeCost: QueryCost.sum(cost, QueryCost.times(keyCount, lookUp.rising)))
    }

    /// The plan that looks up the common keys of some sources.
    func plan(
        _ chosen: [Int], _ sources: [PlanSourceEstimate], _ conjuncts: [Predicate]
    ) -> Plan {
        let used = chosen.map { sources[$0] }.sorted { $0.count < $1.count }
        var keys: [UInt64]?
        if used.allSatisfy({ $0.keys != nil }) {
            for source in used {
                guard let own = source.keys else { continue }
                keys = keys.map { KeyCollector.common($0, own) } ?? own
            }
        }
        let candidates = used.map(\.candidate)
        let single = candidates.count == 1 ? candidates[0].source : nil
        return Plan(
            access: single?.access ?? .keys(.all(candidates.map(\.source))),
            order: !query.sort.isEmpty
                ? .sort
                : single?.isSingleIndexValue ?? false ? .natural(reversed: false) : .collectKeys,
            residual: PlanCandidate.residual(conjuncts, coveredBy: candidates), keys: keys)
    }
}
