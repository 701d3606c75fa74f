import Query
import Rows
import Storage

/// Chooses how a query finds its objects.
///
/// There are no stored statistics. A class knows how many objects it has; what a source of keys holds is
/// found by reading its keys, up to a bound that grows eightfold until one source comes to its end: that
/// one is the smallest or nearly so, and what was read is used. Where everything is wanted this costs a
/// thirty-second of a scan at most, beside columns a third of that.
///
/// Where a page is wanted, a walk in its order may fill it soon, and nothing tells so but the walk itself.
/// So when the first look at the sources finds none that is small, the walk begins, and after a while the
/// query is planned anew, with a sixteenth of what the walk has cost to look further (``Plan/Fallback``).
/// A walk along an index is given up when it costs a twentieth of a scan, beside columns a thirty-second at most.
/// The cells of a geographic index take longer to be found than many a page: they wait for a walk that fills its
/// page slowly, and may cost a forty-eighth of what is still to be expected of it, at last of a scan.
///
/// A page in the order of object keys may be filled by the beginning of a scan in less time than all of
/// this takes: where columns are in memory that is tried first, before any index is asked where it costs less than
/// that (``earlyTrial(_:)``), else after a few entries (``trial(_:_:)``).
///
/// A scan by columns that are in memory costs a hundredth of a scan of rows; then all of this is a hundredth too,
/// and few indexes are worth it. The planner only counts on columns that are there. Where they have gone when
/// the plan is followed, the query is planned anew without them.
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
    /// What the walk that is interrupted is likely to go on to cost.
    let costExpected: Int
    /// What the dearest look at the points in some cells might cost so far; it found too many.
    var cellCostTried: Int
    /// What a scanned row costs, with what its condition follows: more than ``QueryCost/scannedRow`` where
    /// the query has shown so.
    let rowCost: Int
    /// Whether a scan may count on columns.
    let mayUseColumns: Bool
    /// Whether the beginning of a scan may be tried before anything else.
    let mayTry: Bool
    /// Entries that were read to plan.
    var entriesRead = 0
    /// What a scan by columns needs, which was looked for to know what it costs.
    private(set) var preparedScan: ColumnScan.Prepared?
    /// Under what it is remembered whether a trial has filled the query's page; nil where it has no trial.
    var trialKey: UInt64?
    private var objectCount: Int?
    /// What a scan costs; nil before that was asked.
    private(set) var knownScanCost: ScanCost?

    init(
        _ query: ObjectQuery, _ transaction: ReadTransaction, _ limits: QueryLimits,
        costMax: Int = .max, costSpent: Int = 0, costExpected: Int = 0, cellCostTried: Int = 0,
        rowCost: Int? = nil, mayUseColumns: Bool = true, mayTry: Bool = true,
        scanCost: ScanCost? = nil
    ) {
        knownScanCost = scanCost
        self.mayUseColumns = mayUseColumns
        self.mayTry = mayTry
        self.rowCost = rowCost ?? RowCost(query.predicate).whole
        self.costSpent = costSpent
        self.costExpected = costExpected
        self.cellCostTried = cellCostTried
        self.transaction = transaction
        self.query = query
        self.limits = limits
        self.costMax = costMax
        rowClass = transaction.rows.classes[query.classIndex]
        search = CandidateSearch(schema: transaction.rows, rowClass: rowClass)
    }

    /// The first bound of the keys that are read of each source.
    static let firstBound = 64
    /// The first rows of a walk that tell whether cells are worth to be found are as many as for such a page.
    private static let cellPageCount = 20
    /// How many chunks of columns are looked at for a page before anything else is weighed.
    private static let firstChunkCount = 4

    /// The plan for a count of what one comparison says, where an index knows: nothing is cheaper than to
    /// count its entries. Nil for everything that has to be thought about.
    static func obvious(_ query: ObjectQuery, _ rowClass: RowClass, _ schema: RowSchema) -> Plan? {
        guard query.isCounted, query.sort.isEmpty,
            case .comparison(let comparison)? = query.predicate,
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
        if let trial = try earlyTrial(predicate) { return trial }
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
                switch try density(only) {
                case .dense: return try denseScan()
                case .few: return plan(only)
                case .unknown: return try guarded(plan(only)) ?? .scan(query)
                }
            }
        }
        if own.isEmpty, query.isCounted, query.sort.isEmpty, further.count == 1,
            let only = further.first,
            case .words = only.source, only.covered.count == predicate.conjuncts.count
        {
            return Plan(access: only.source.access, order: .collectKeys, residual: nil)
        }
        if natural == nil, let trial = try trial(own, further) { return trial }
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
        let scan = try scanCost()
        plan.fallback = .after(cost: walkCostMax(scan), scanPlan(scan))
        return plan
    }

    private mutating func total() throws(Failure) -> Int {
        if let objectCount { return objectCount }
        entriesRead += 1
        do throws(StoreError) {
            let count = try transaction.count(rowClass)
            objectCount = count
            return count
        } catch {
            throw .store(error)
        }
    }

    /// What a scan costs at present.
    mutating func scanCost() throws(Failure) -> ScanCost {
        if let knownScanCost { return knownScanCost }
        let cost: ScanCost
        if mayUseColumns,
            let byColumns = ColumnScan.estimate(
                query, rowClass, in: transaction, needsOrder: search.sortMember(query) != nil,
                rowCost: rowCost)
        {
            cost = byColumns.cost
            preparedScan = byColumns.prepared
        } else {
            cost = ScanCost(rowCount: try total(), rowCost: rowCost)
        }
        knownScanCost = cost
        return cost
    }

    func scanPlan(_ cost: ScanCost) -> Plan {
        var plan = Plan.scan(query)
        plan.chunkCost = cost.chunk
        return plan
    }

    // MARK: Choosing

    private mutating func choose(
        _ predicate: Predicate, _ own: [IndexConstraint], _ further: [PlanCandidate],
        _ natural: Plan?
    ) throws(Failure) -> Plan {
        let conjuncts = predicate.conjuncts
        let scan = try scanCost()
        // What reads in order and stops when the page is full: an index, or a scan by object key.
        let canStop = natural != nil || query.sort.isEmpty
        let wanted = canStop && !query.isCounted ? query.expectedCount : nil
        let candidateCount = own.count + further.count
        // The last look, when the walk along an index is given up, may cost what it does for everything.
        let isLast = natural != nil && costSpent >= walkCostMax(scan)
        // Beside columns a row that is looked up is dear, so that many keys do not pay; and the walk has cost
        // its part of what may be lost already. What is reckoned may be twice as dear in truth.
        let share = scan.isByColumns ? (isLast ? 128 : 96) : 32
        let least = scan.isByColumns ? Self.firstBound : QueryCost.always
        var countMax = max(least, scan.whole / share) / candidateCount
        let pageCellCost = cellCostMax(scan, further, candidateCount, isLast: isLast)
        if wanted != nil {
            if !isLast {
                countMax = min(countMax, max(Self.firstBound, costSpent / 16 / candidateCount))
            }
            // This was looked at before the walk began, or half of it was.
            if costSpent > 0, countMax <= (isLast ? 2 : 1) * Self.firstBound, pageCellCost == 0 {
                return walk(natural, wanted, scan)
            }
        }
        countMax = min(countMax, costMax)

        var candidates = own.map {
            PlanCandidate(source: search.source($0), covered: $0.covered)
        }
        var further = further
        for index in candidates.indices { candidates[index].number = index }
        for index in further.indices { further[index].number = own.count + index }
        let byCells = further.filter(\.source.needsCells)
        further.removeAll(where: \.source.needsCells)
        // Columns that may fill the page at once are cheaper to look at than another class.
        let isPageByColumns =
            scan.isByColumns && wanted != nil && natural == nil && costSpent == 0
            && !own.isEmpty
        var known: [Known] = []
        // What is read again with a larger bound is read twice.
        var bound =
            costSpent == 0 && countMax > 4 * Self.firstBound ? Self.firstBound : countMax
        var isFirst = true
        var asksFurther = false
        while known.isEmpty {
            known = try read(candidates, bound)
            // What needs the objects of other classes is looked at when the own indexes do not do.
            if known.isEmpty, isFirst, !isPageByColumns {
                candidates += further
                // Each word, or target of a link, is a look-up, which the first bound has too little for.
                let enough = scan.isByColumns ? countMax : QueryCost.always
                let most = costSpent == 0 ? min(enough, costMax) : bound
                for candidate in further {
                    let own = candidate.source.needsLookUps ? max(bound, most) : bound
                    known += try read([candidate], own)
                }
                asksFurther = true
                // Their cells cost the same whatever is read of them: once, then, and as far as it may go.
                let cellCost =
                    wanted == nil
                    ? max(countMax, most, costMax < .max ? min(costMax, scan.whole) : 0)
                    : pageCellCost
                if cellCost > 0 {
                    known += try read(byCells, cellCost)
                    cellCostTried = max(cellCostTried, cellCost)
                }
            }
            guard known.isEmpty, bound < countMax else { break }
            isFirst = false
            bound = min(countMax, QueryCost.times(bound, 8))
        }
        if asksFurther { candidates += byCells }
        guard let best = known.min(by: { $0.keys.count < $1.keys.count }) else {
            return walk(natural, wanted, scan, needsCells: !byCells.isEmpty)
        }
        let rest = PlanCandidate.residual(conjuncts, coveredBy: [best.candidate])
        if scan.isByColumns, rest != nil,
            QueryCost.times(best.keys.count, QueryCost.risingRow) > scan.whole
        {
            return scanPlan(scan)
        }
        let united = try intersection(best, known, candidates, scan)
        var plan = Plan(
            access: access(united.used), order: query.sort.isEmpty ? .collectKeys : .sort,
            residual: PlanCandidate.residual(conjuncts, coveredBy: united.used), keys: united.keys)
        if query.sort.isEmpty, united.used.count == 1, case .index(_, let ranges) = plan.access,
            ranges.count == 1, ranges[0].isSingleValue
        {
            plan.order = .natural(reversed: false)
        }
        guard let wanted, !united.keys.isEmpty else { return plan }
        // Where nothing is tested or sorted, a page reads its own rows only.
        let isPage = plan.residual == nil && query.sort.isEmpty
        let collected = QueryCost.times(
            isPage ? min(wanted, united.keys.count) : united.keys.count, QueryCost.risingRow)
        let walk = QueryCost.times(wanted, try total()) / united.keys.count
        guard walkCost(walk, wanted, natural, scan) < collected else { return plan }
        var optimistic = natural ?? scanPlan(scan)
        optimistic.fallback = .after(cost: collected, plan)
        return optimistic
    }

    /// What the first rows of the walk in the wanted order cost: along an index, or of a scan, where columns
    /// leave only those to be read that are wanted.
    private func walkCost(
        _ rowCount: Int, _ wanted: Int, _ natural: Plan?, _ scan: ScanCost
    ) -> Int {
        guard natural == nil else {
            return QueryCost.times(rowCount, QueryCost.anyRow + rowCost - QueryCost.scannedRow)
        }
        let own = scan.cost(ofFirst: rowCount)
        return scan.isByColumns ? own + QueryCost.times(wanted, QueryCost.risingRow) : own
    }

    /// What a walk along an index may cost that is to spare a scan.
    private func walkCostMax(_ scan: ScanCost) -> Int {
        guard scan.isByColumns else { return 2 * QueryCost.always + scan.whole / 20 }
        // Beside columns a row of a large class, and what lies behind its links, costs up to twice as much as is
        // reckoned, so that a thirty-second is a sixteenth; the looks at other sources may take a few hundredths more.
        return min(QueryCost.always, scan.whole / 64) + scan.whole / 64
    }

    /// What a look at the points in some cells may cost for a page; 0 for none.
    ///
    /// To find the cells takes longer than many a page, so that the walk begins first; how it goes tells what it
    /// is going to cost, and after the last look nothing is left but a whole scan. A look finds all or nothing: one
    /// that may cost little more than one before is not made, and one that can't read any entry neither.
    ///
    /// - `isLast`: Whether the walk is along an index and ends here.
    private func cellCostMax(
        _ scan: ScanCost, _ candidates: [PlanCandidate], _ candidateCount: Int, isLast: Bool
    ) -> Int {
        guard costSpent > 0 else { return 0 }
        let least = candidates.map(\.source.cellCostMin).filter { $0 > 0 }.min()
        guard let least else { return 0 }
        let isFinal = isLast || QueryCost.times(costSpent, 8) >= scan.whole
        let expected = isFinal ? scan.whole : min(scan.whole, max(costSpent, costExpected))
        let cost = expected / 48 / candidateCount
        guard cost >= least, cost > cellCostTried else { return 0 }
        return isFinal || cost >= 4 * cellCostTried ? cost : 0
    }

    /// The walk in the wanted order where no source is known to be small, with an end to it.
    ///
    /// - `needsCells`: Whether its beginning is to tell if cells are worth to be found.
    private func walk(
        _ natural: Plan?, _ wanted: Int?, _ scan: ScanCost, needsCells: Bool = false
    ) -> Plan {
        guard let wanted else { return natural ?? scanPlan(scan) }
        var plan = natural ?? scanPlan(scan)
        let rowCount =
            natural == nil && scan.isByColumns
            ? Self.firstChunkCount * ColumnChunk.keyCount - 1
            : QueryCost.times(
                needsCells ? min(wanted, Self.cellPageCount) : wanted, natural == nil ? 4 : 2)
                + 16
        let next = max(
            walkCost(rowCount, 0, natural, scan), QueryCost.times(costSpent, 8))
        if natural != nil {
            let most = walkCostMax(scan)
            guard costSpent < most else { return scanPlan(scan) }
            plan.fallback = .rethink(cost: min(next, most - costSpent))
        } else if next < scan.whole {
            plan.fallback = .rethink(cost: next)
        }
        return plan
    }

    private func access(_ used: [PlanCandidate]) -> Plan.Access {
        used.count == 1 ? used[0].source.access : .keys(.all(used.map(\.source)))
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
