import Query
import Rows
import Storage

/// Chooses how a query finds its objects.
///
/// There are no stored statistics. A class knows how many objects it has; what a source of keys holds is
/// found by reading its keys, up to a bound that grows eightfold until one source comes to its end: that
/// one is the smallest or nearly so, and what was read is used. Where everything is wanted this costs a
/// thirty-second of a scan at most.
///
/// Where a page is wanted, a walk in its order may fill it soon, and nothing tells so but the walk itself.
/// So when the first look at the sources finds none that is small, the walk begins, and after a while the
/// query is planned anew, with a sixteenth of what the walk has cost to look further (``Plan/Fallback``).
/// A walk along an index is given up when it costs a twentieth of a scan.
struct Planner {
    typealias Failure = QueryExecution.Failure

    let transaction: ReadTransaction
    let rowClass: RowClass
    let query: ObjectQuery
    let limits: QueryLimits
    /// What may be spent, when the query is a part of another.
    let costMax: Int
    let search: CandidateSearch
    /// What was spent on the query before it is planned anew.
    let costSpent: Int
    /// What a scanned row costs, with what its condition follows: more than ``QueryCost/scannedRow`` where
    /// the query has shown so.
    let rowCost: Int
    /// Entries that were read to plan.
    private(set) var entriesRead = 0

    init(
        _ query: ObjectQuery, _ transaction: ReadTransaction, _ limits: QueryLimits,
        costMax: Int = .max, costSpent: Int = 0, rowCost: Int = QueryCost.scannedRow
    ) {
        self.rowCost = rowCost
        self.costSpent = costSpent
        self.transaction = transaction
        self.query = query
        self.limits = limits
        self.costMax = costMax
        rowClass = transaction.rows.classes[query.classIndex]
        search = CandidateSearch(schema: transaction.rows, rowClass: rowClass)
    }

    /// The first bound of the keys that are read of each source.
    private static let firstBound = 64
    /// How many keys of one source make it worth to read others beside it.
    private static let largeKeyCount = 64

    /// The plan for a count of what one comparison says, where an index knows: nothing is cheaper than to
    /// count its entries. Nil for everything that has to be thought about.
    static func obvious(_ query: ObjectQuery, _ rowClass: RowClass, _ schema: RowSchema) -> Plan? {
        guard query.isCounted, case .comparison(let comparison)? = query.predicate,
            let own = comparison.constraint, own.isExact, !own.ranges.isEmpty,
            rowClass.isIndexed(own.member)
        else { return nil }
        let isSingle = own.ranges.count == 1 && own.holdsSingleValues
        return Plan(
            access: own.member == rowClass.primaryKeyIndex
                ? .primaryKey(ranges: own.ranges)
                : .index(member: own.member, ranges: own.ranges),
            order: isSingle ? .natural(reversed: false) : .collectKeys, residual: nil)
    }

    mutating func plan() throws(Failure) -> Plan {
        guard let predicate = query.predicate else { return naturalPlan([], nil) ?? .scan(query) }
        if case .constant(let truth) = predicate {
            return truth ? naturalPlan([], nil) ?? .scan(query) : .nothing
        }
        var own = predicate.constraints(transaction.rows)
        if own.contains(where: { $0.ranges.isEmpty }) { return .nothing }
        own.removeAll { !search.isIndexed($0.member) }
        if let key = own.first(where: {
            $0.member == rowClass.primaryKeyIndex && $0.holdsSingleValues
        }) {
            return plan(key)
        }
        if query.isCounted, own.count == 1, own[0].isExact { return plan(own[0]) }
        let natural = naturalPlan(own, predicate)
        if let natural, natural.residual == nil { return natural }
        let further = search.further(predicate, beside: own)
        if own.isEmpty, further.isEmpty { return try guarded(natural) ?? .scan(query) }
        if own.count == 1, further.isEmpty, let only = own.first {
            if query.sort.isEmpty, query.expectedCount != nil, only.holdsSingleValues {
                return try guarded(plan(only)) ?? .scan(query)
            }
        }
        if own.isEmpty, query.isCounted, further.count == 1, let only = further.first,
            case .words = only.source, only.covered.count == predicate.conjuncts.count
        {
            return Plan(access: only.source.access, order: .collectKeys, residual: nil)
        }
        return try choose(predicate, own, further, natural)
    }

    // MARK: Simple plans

    /// The plan that reads one index, or the primary key, for a constraint.
    func plan(_ constraint: IndexConstraint) -> Plan {
        let order: Plan.Order
        if let sorted = search.sortMember(query), sorted.member == constraint.member {
            order = .natural(reversed: !sorted.isAscending)
        } else if !query.sort.isEmpty {
            order = .sort
        } else {
            // Within one value entries stand in the order of object keys.
            let isSingle = constraint.ranges.count == 1 && constraint.holdsSingleValues
            order = isSingle ? .natural(reversed: false) : .collectKeys
        }
        return Plan(access: search.access(constraint), order: order, residual: constraint.residual)
    }

    /// The plan that reads an index in the wanted order; nil when there is none.
    func naturalPlan(_ own: [IndexConstraint], _ predicate: Predicate?) -> Plan? {
        guard let sorted = search.sortMember(query) else { return nil }
        if let constraint = own.first(where: { $0.member == sorted.member }) {
            return plan(constraint)
        }
        return Plan(
            access: sorted.member == rowClass.primaryKeyIndex
                ? .primaryKey(ranges: [.all]) : .index(member: sorted.member, ranges: [.all]),
            order: .natural(reversed: !sorted.isAscending), residual: predicate)
    }

    /// The plan, given up for a scan where it looks up so many rows that it costs a part of one.
    private mutating func guarded(_ plan: Plan?) throws(Failure) -> Plan? {
        // Where all is wanted, an order by an index needs no memory and a sort does.
        guard var plan, plan.residual != nil, query.expectedCount != nil else { return plan }
        let scan = QueryCost.times(try total(), rowCost)
        plan.fallback = .after(cost: walkCostMax(scan), .scan(query))
        return plan
    }

    private mutating func total() throws(Failure) -> Int {
        entriesRead += 1
        do throws(StoreError) { return try transaction.count(rowClass) } catch {
            throw .store(error)
        }
    }

    // MARK: Choosing

    /// A candidate whose keys were read to the end.
    private struct Known {
        var candidate: PlanCandidate
        var keys: [UInt64]
    }

    private mutating func choose(
        _ predicate: Predicate, _ own: [IndexConstraint], _ further: [PlanCandidate],
        _ natural: Plan?
    ) throws(Failure) -> Plan {
        let conjuncts = predicate.conjuncts
        let total = try total()
        let scanCost = QueryCost.times(total, rowCost)
        // What reads in order and stops when the page is full: an index, or a scan by object key.
        let stepCost = stepCost(natural)
        let canStop = natural != nil || query.sort.isEmpty
        let wanted = canStop && !query.isCounted ? query.expectedCount : nil
        let candidateCount = own.count + further.count
        var countMax = max(QueryCost.always, scanCost / 32) / candidateCount
        // The last look, when the walk along an index is given up, may cost what it does for everything.
        let isLast = natural != nil && costSpent >= walkCostMax(scanCost)
        if wanted != nil, !isLast {
            countMax = min(countMax, max(Self.firstBound, costSpent / 16 / candidateCount))
            // This was looked at before the walk began.
            if costSpent > 0, countMax == Self.firstBound { return walk(natural, wanted, scanCost) }
        }
        countMax = min(countMax, costMax)

        var candidates = own.map {
            PlanCandidate(source: search.source($0), covered: Set($0.covered))
        }
        var further = further
        for index in candidates.indices { candidates[index].number = index }
        for index in further.indices { further[index].number = own.count + index }
        var known: [Known] = []
        var bound = costSpent == 0 ? min(Self.firstBound, countMax) : countMax
        var isFirst = true
        while known.isEmpty {
            known = try read(candidates, bound)
            // What needs the objects of other classes is looked at when the own indexes do not do.
            if known.isEmpty, isFirst {
                candidates += further
                // Each target of a link is a look-up, which the first bound has too little for.
                let most = costSpent == 0 ? min(QueryCost.always, costMax) : bound
                known = try read(further, max(bound, most))
            }
            guard known.isEmpty, bound < countMax else { break }
            isFirst = false
            bound = min(countMax, QueryCost.times(bound, 8))
        }
        guard let best = known.min(by: { $0.keys.count < $1.keys.count }) else {
            return walk(natural, wanted, scanCost)
        }
        let united = try intersection(best, known, candidates)
        var plan = Plan(
            access: access(united.used), order: query.sort.isEmpty ? .collectKeys : .sort,
            residual: PlanCandidate.residual(conjuncts, coveredBy: united.used), keys: united.keys)
        if query.sort.isEmpty, united.used.count == 1, case .index(_, let ranges) = plan.access,
            ranges.count == 1, ranges[0].isSingleValue
        {
            plan.order = .natural(reversed: false)
        }
        guard let wanted, !united.keys.isEmpty else { return plan }
        let collected = QueryCost.times(united.keys.count, QueryCost.risingRow)
        let walk = QueryCost.times(wanted, total) / united.keys.count
        guard QueryCost.times(walk, stepCost) < collected else { return plan }
        var optimistic = natural ?? .scan(query)
        optimistic.fallback = .after(cost: collected, plan)
        return optimistic
    }

    /// What a step of the walk in the wanted order costs: along an index, or of a scan.
    private func stepCost(_ natural: Plan?) -> Int {
        natural == nil ? rowCost : QueryCost.anyRow + rowCost - QueryCost.scannedRow
    }

    /// What a walk along an index may cost that is to spare a scan.
    private func walkCostMax(_ scanCost: Int) -> Int { 2 * QueryCost.always + scanCost / 20 }

    /// The walk in the wanted order where no source is known to be small, with an end to it.
    private func walk(_ natural: Plan?, _ wanted: Int?, _ scanCost: Int) -> Plan {
        guard let wanted else { return natural ?? .scan(query) }
        var plan = natural ?? .scan(query)
        let rowCount = QueryCost.times(wanted, natural == nil ? 4 : 2) + 16
        let next = max(
            QueryCost.times(rowCount, stepCost(natural)), QueryCost.times(costSpent, 8))
        if natural != nil {
            let most = walkCostMax(scanCost)
            guard costSpent < most else { return .scan(query) }
            plan.fallback = .rethink(cost: min(next, most - costSpent))
        } else if next < scanCost {
            plan.fallback = .rethink(cost: next)
        }
        return plan
    }

    private func access(_ used: [PlanCandidate]) -> Plan.Access {
        used.count == 1 ? used[0].source.access : .keys(.all(used.map(\.source)))
    }

    /// Those of some candidates whose keys can be read at a cost.
    private mutating func read(
        _ candidates: [PlanCandidate], _ cost: Int
    ) throws(Failure) -> [Known] {
        var known: [Known] = []
        for var candidate in candidates {
            // The far side of a link is planned with the same bound.
            candidate.source = try planned(candidate.source, cost)
            if let keys = try read(candidate.source, cost: cost) {
                known.append(Known(candidate: candidate, keys: keys))
            }
        }
        return known
    }

    private mutating func read(_ source: PlanSource, cost: Int) throws(Failure) -> [UInt64]? {
        var collector = KeyCollector(transaction, limits, cost: cost)
        defer { entriesRead += collector.entriesRead }
        return try collector.keys(source, of: rowClass)
    }

    /// Leaves only the keys that other candidates have too, where reading those costs less than the rows
    /// that are spared.
    private mutating func intersection(
        _ best: Known, _ known: [Known], _ candidates: [PlanCandidate]
    ) throws(Failure) -> (used: [PlanCandidate], keys: [UInt64]) {
        var used = [best.candidate]
        var keys = best.keys
        for other in known
        where !other.candidate.isSame(as: best.candidate) && keys.count > Self.firstBound {
            keys = KeyCollector.common(keys, other.keys)
            used.append(other.candidate)
        }
        for other in candidates where keys.count > Self.largeKeyCount {
            guard !known.contains(where: { $0.candidate.isSame(as: other) }) else { continue }
            // A third of what the rows would cost.
            let cost = QueryCost.times(keys.count, QueryCost.risingRow) / 3
            guard let more = try read([other], min(cost, costMax)).first else { continue }
            keys = KeyCollector.common(keys, more.keys)
            used.append(more.candidate)
        }
        return (used, keys)
    }

    // MARK: Links

    /// The source with a plan for the objects at the far side of each link.
    mutating func planned(_ source: PlanSource, _ costMax: Int) throws(Failure) -> PlanSource {
        switch source {
        case .primaryKey, .index, .words, .points: return source
        case .links(let constraint, _):
            guard case .matching(let predicate) = constraint.far else { return source }
            var far = ObjectQuery(classIndex: constraint.link.toClass, predicate: predicate)
            // Only their keys are wanted, as for a count.
            far.isCounted = true
            var planner = Planner(far, transaction, limits, costMax: costMax)
            let plan = try planner.plan()
            entriesRead += planner.entriesRead
            return .links(constraint, far: plan)
        case .all(let parts):
            var all: [PlanSource] = []
            for part in parts { all.append(try planned(part, costMax)) }
            return .all(all)
        case .any(let parts):
            var all: [PlanSource] = []
            for part in parts { all.append(try planned(part, costMax)) }
            return .any(all)
        }
    }
}

extension CandidateSearch {
    /// The property whose index has the wanted order, and its direction; nil when there is none.
    func sortMember(_ query: ObjectQuery) -> (member: Int, isAscending: Bool)? {
        guard query.sort.count == 1, let key = query.sort.first, key.path.steps.isEmpty,
            case .value(let member) = key.path.terminal, isIndexed(member)
        else { return nil }
        return (member, key.isAscending)
    }
}
