import Query
import Rows
import Storage

/// Chooses how a query finds its objects, once, before the first is looked for (decision 15).
///
/// Of each source of keys up to ``entryCountMax`` entries are read: what has fewer is known to the last, and is
/// taken at once where they are few. Of what has more, and of the whole condition, a sample of the class's rows tells
/// the share, as long as to test it costs an eighth of what the best plan is likely to cost. From these numbers and
/// that of the objects the cost of each way follows, and the least is chosen.
///
/// A page by columns that are in memory begins with its first chunk, which is the scan's: it is not evaluated again,
/// so that a page that it fills costs no more than the scan.
///
/// A walk in the wanted order may fill a page soon or never, whatever a sample says. So a plan that is not a scan
/// has an end (``Plan/Fallback``): where it has cost as much as a part of the next best, that takes over behind the
/// last object that was handed over.
struct Planner {
    typealias Failure = QueryExecution.Failure

    /// The most entries that are read of a source of keys to plan.
    static let entryCountMax = 64
    let transaction: ReadTransaction
    let rowClass: RowClass
    let query: ObjectQuery
    let limits: QueryLimits
    let search: CandidateSearch
    /// Entries that were read to plan.
    var entriesRead = 0
    /// What a scan by columns needs, which was looked for to know what it costs.
    var preparedScan: ColumnScan.Prepared?
    /// What the plan is likely to cost, and how many objects it is likely to find.
    var expected = (cost: 0, count: 0)
    /// What a row costs that is looked up.
    private(set) var lookUp = LookUpCost.large
    private var objectCount: Int?
    /// What the first chunk of a scan by columns has; nil where the scan was not begun.
    var beginning: ColumnScan.Beginning?
    /// What a scan costs by columns; nil where there are none, or nobody has asked.
    private var columnCost: ScanCost?
    /// What a tested row costs beside ``QueryCost/scannedRow``: to follow links, as far as the sample tells.
    var testCost: Int

    init(_ query: ObjectQuery, _ transaction: ReadTransaction, _ limits: QueryLimits) {
        self.transaction = transaction
        self.query = query
        self.limits = limits
        rowClass = transaction.rows.classes[query.classIndex]
        search = CandidateSearch(schema: transaction.rows, rowClass: rowClass)
        testCost = RowCost(query.predicate).tested - QueryCost.scannedRow
    }

    mutating func plan() throws(Failure) -> Plan {
        guard let predicate = query.predicate else { return naturalPlan([], nil) ?? .scan(query) }
        if case .constant(let truth) = predicate {
            return truth ? naturalPlan([], nil) ?? .scan(query) : .nothing
        }
        if let page = try immediatePage(predicate) { return page }
        var own = predicate.constraints(transaction.rows)
        if own.contains(where: { $0.ranges.isEmpty }) { return .nothing }
        own.removeAll { !search.isIndexed($0.member) }
        if let key = own.first(where: {
            $0.member == rowClass.primaryKeyIndex && $0.holdsSingleValues
        }) {
            expected = (QueryCost.times(key.ranges.count, QueryCost.risingRow), key.ranges.count)
            return plan(key)
        }
        let natural = naturalPlan(own, predicate)
        if let natural, natural.residual == nil { return natural }
        // A page of what one value, or some, have reads its own rows alone.
        if own.count == 1, own[0].isExact, own[0].holdsSingleValues, query.sort.isEmpty,
            query.expectedCount != nil, !query.isCounted
        {
            return plan(own[0])
        }
        for constraint in own {
            let source = search.source(constraint)
            guard let keys = try look(at: source, cost: fewCountMax) else { continue }
            expected = (QueryCost.times(keys.count, QueryCost.risingRow), keys.count)
            var plan = plan(constraint)
            plan.keys = keys
            return plan
        }
        return try choose(predicate, own, natural)
    }

    // MARK: Simple plans

    /// So many objects are looked up at once, whatever else could be done: fewer for a page that a chunk of columns may
    /// have.
    private var fewCountMax: Int {
        guard isPage, let wanted = query.expectedCount,
            transaction.columns?.hasColumns(rowClass) == true
        else { return Self.entryCountMax }
        return min(Self.entryCountMax, max(16, QueryCost.times(wanted, 2)))
    }

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

    /// How many objects the class has.
    mutating func total() throws(Failure) -> Int {
        if let objectCount { return objectCount }
        entriesRead += 1
        do throws(StoreError) {
            let count = try transaction.count(rowClass)
            objectCount = count
            lookUp = LookUpCost(objectCount: count)
            return count
        } catch {
            throw .store(error)
        }
    }

    /// What a scan costs at present.
    mutating func scanCost() throws(Failure) -> ScanCost {
        if let columnCost { return columnCost }
        let rowCost = QueryCost.scannedRow + testCost
        if let byColumns = ColumnScan.estimate(
            query, rowClass, in: transaction, needsOrder: search.sortMember(query) != nil,
            rowCost: rowCost)
        {
            preparedScan = byColumns.prepared
            columnCost = byColumns.cost
            return byColumns.cost
        }
        return ScanCost(rowCount: try total(), rowCost: rowCost)
    }

    func scanPlan(_ cost: ScanCost) -> Plan {
        var plan = Plan.scan(query)
        plan.chunkCost = cost.chunk
        return plan
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
