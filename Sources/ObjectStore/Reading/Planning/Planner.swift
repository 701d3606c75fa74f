import HoldfastQuery
import HoldfastRows

/// Chooses how a query finds its objects, once, before the first is looked for (decision 15).
///
/// Of each source of keys up to ``entryCountMax`` entries are read: a source with fewer is known to the last, and is
/// taken at once where they are few. The share of a source with more entries is guessed from its form. The cost of each
/// plan follows from these numbers and from the number of objects, and the plan with the least cost is chosen.
///
/// A page by columns that are in memory begins with its first chunk, which is the scan's: it is not evaluated again,
/// so that a page that it fills costs no more than the scan.
///
/// A guess may be wrong, and a walk in the wanted order may fill a page soon or never. A plan that is not a scan
/// therefore has an end (``Plan/Fallback``): when it has cost as much as a part of the next best plan, that plan goes on
/// after the last object that was handed over.
struct Planner {
    /// The most entries that are read of a source of keys to plan.
    static let entryCountMax = 64
    let transaction: ReadTransaction
    let rowClass: RowClass
    let query: ObjectQuery
    let limits: QueryLimits
    let search: CandidateSearch
    /// The effect of the view's visibility on the plan; nil where it does not concern the query.
    let visibility: QueryVisibility?
    /// Entries that were read to plan.
    var entriesRead = 0
    /// The scan by columns that was prepared to know its cost.
    var preparedScan: ColumnScan.Prepared?
    /// The likely cost of the plan, and the likely number of objects that it finds.
    var expected = (cost: 0, count: 0)
    /// The cost of a row that is looked up.
    private(set) var lookUp = LookUpCost.large
    private var objectCount: Int?
    /// The first chunk of a scan by columns; nil where the scan was not begun.
    var beginning: ColumnScan.Beginning?
    /// The cost of a scan by columns; nil without columns, and before it is needed.
    private var columnCost: ScanCost?
    /// The cost of testing a row, in addition to ``QueryCost/scannedRow``.
    let testCost: Int
    /// The ways that are compared to find the objects by their keys.
    var candidates: [PlanCandidate] = []

    init(_ query: ObjectQuery, _ transaction: ReadTransaction, _ limits: QueryLimits) {
        self.transaction = transaction
        self.query = query
        self.limits = limits
        rowClass = transaction.rows.classes[query.classIndex]
        search = CandidateSearch(schema: transaction.rows, rowClass: rowClass)
        visibility = transaction.visibility(on: query)
        testCost = QueryCost.test(query.predicate) + QueryCost.test(visibility?.rule)
    }

    /// The parts of the predicate, which have to hold all together.
    var conjuncts: [Predicate] { query.predicate?.conjuncts ?? [] }

    mutating func plan() throws(StoreError) -> Plan {
        if query.predicate == .constant(false) || visibility?.rule == .constant(false) {
            return .nothing
        }
        if query.predicate ?? .constant(true) == .constant(true), visibility?.rule == nil {
            return naturalPlan([], nil) ?? .scan(query)
        }
        if let page = try immediatePage() { return page }
        guard let own = own() else { return .nothing }
        if let key = own.first(where: {
            $0.member == rowClass.primaryKeyIndex && $0.source.holdsSingleValues
        }), case .index(_, let ranges) = key.source {
            expected = (QueryCost.times(ranges.count, QueryCost.risingRow), ranges.count)
            return plan([key])
        }
        let natural = naturalPlan(own, query.predicate)
        if let natural, natural.residual == nil, visibility?.rule == nil { return natural }
        // A page of the objects with one value, or with some values, reads only its own rows.
        if own.count == 1, own[0].isExact, own[0].source.holdsSingleValues, query.sort.isEmpty,
            query.expectedCount != nil, !query.isCounted,
            visibility == nil || query.predicate == nil
        {
            return plan(own)
        }
        for var candidate in own {
            guard let keys = try look(at: candidate.source, cost: fewCountMax) else { continue }
            expected = (QueryCost.times(keys.count, QueryCost.risingRow), keys.count)
            candidate.keys = keys
            return plan([candidate])
        }
        return try choose(own, natural)
    }

    // MARK: Simple plans

    /// Finds the ways that one index, or the primary key, serves; nil where the conditions exclude each other.
    func own() -> [PlanCandidate]? {
        let constraints = query.predicate?.constraints ?? []
        let ruling = visibility?.rule?.constraints ?? []
        for constraint in [constraints, ruling].joined() where constraint.ranges.isEmpty {
            return nil
        }
        let own = search.own(constraints)
        return visibility.map { visibility in
            own.filter { visibility.isComplete($0.source) } + search.own(ruling).map(ofRule)
        } ?? own
    }

    /// Finds the ways that need more than one index or the objects of another class.
    func further(beside own: [PlanCandidate]) -> [PlanCandidate] {
        guard let visibility else { return search.further(conjuncts, beside: own) }
        let found = search.further(conjuncts, beside: []).filter {
            visibility.isComplete($0.source)
        }
        return found + search.further(visibility.rule?.conjuncts ?? [], beside: []).map(ofRule)
    }

    private func ofRule(_ candidate: PlanCandidate) -> PlanCandidate {
        var candidate = candidate
        candidate.isOfRule = true
        if candidate.source.followsLinks { candidate.source = .unrestricted(candidate.source) }
        return candidate
    }

    /// The property with the wanted order in its index, and its direction.
    var sortMember: (member: Int, isAscending: Bool)? {
        query.sortMember(rowClass).flatMap { visibility?.reorders($0.member) ?? false ? nil : $0 }
    }

    /// This number of objects is looked up at once, even if another plan were possible: fewer for a page that a chunk of columns
    /// may have.
    private var fewCountMax: Int {
        guard isPage, let wanted = query.expectedCount,
            transaction.columns?.hasColumns(rowClass) == true
        else { return Self.entryCountMax }
        return min(Self.entryCountMax, max(16, QueryCost.times(wanted, 2)))
    }

    /// Makes the plan that reads one source, or looks up the common keys of some, the smallest first.
    func plan(_ used: [PlanCandidate]) -> Plan {
        let source = used.count == 1 ? used[0].source : .all(used.map(\.source))
        var keys = used.first?.keys
        for other in used.dropFirst() {
            keys = keys.flatMap { own in
                other.keys.map { KeyCollector.common(own, $0, within: transaction.budget) }
            }
        }
        let order: Plan.Order
        if query.sort.isEmpty {
            // Within one value entries stand in the order of object keys.
            order = source.isSingleIndexValue ? .natural(reversed: false) : .collectKeys
        } else if used.count == 1, let sorted = sortMember, sorted.member == used[0].member {
            order = .natural(reversed: !sorted.isAscending)
        } else {
            order = .sort
        }
        return Plan(
            source: source, order: order, residual: residual(used), keys: keys,
            satisfiesRule: used.count == 1 && used[0].isOfRule && used[0].isExact)
    }

    /// Returns the condition that the objects of some candidates together still have to be tested for.
    func residual(_ used: [PlanCandidate]) -> Predicate? {
        // The visible values decide, which an index does not have.
        if visibility != nil { return query.predicate }
        if used.contains(where: \.isExact) { return nil }
        let areCovered = PlanCandidate.areCovered(conjuncts, by: used)
        return Predicate.conjunction(zip(conjuncts, areCovered).compactMap { $0.1 ? nil : $0.0 })
    }

    /// Makes the plan that reads an index in the wanted order; nil if no index has it.
    func naturalPlan(_ own: [PlanCandidate], _ predicate: Predicate?) -> Plan? {
        guard let sorted = sortMember else { return nil }
        if let candidate = own.first(where: { $0.member == sorted.member }) {
            return plan([candidate])
        }
        return Plan(
            source: .index(member: sorted.member, ranges: [.all]),
            order: .natural(reversed: !sorted.isAscending), residual: predicate)
    }

    /// Counts the objects of the class.
    mutating func total() throws(StoreError) -> Int {
        if let objectCount { return objectCount }
        entriesRead += 1
        let count = try transaction.unrestricted.count(rowClass)
        objectCount = count
        lookUp = LookUpCost(objectCount: count)
        return count
    }

    /// Estimates the present cost of a scan.
    mutating func scanCost() throws(StoreError) -> ScanCost {
        if let columnCost { return columnCost }
        let rowCost = QueryCost.scannedRow + testCost
        guard
            let byColumns = ColumnScan.estimate(
                query, rowClass, in: transaction, needsOrder: sortMember != nil, rowCost: rowCost)
        else { return ScanCost(rowCount: try total(), rowCost: rowCost) }
        preparedScan = byColumns.prepared
        columnCost = byColumns.cost
        return byColumns.cost
    }

    func scanPlan(_ cost: ScanCost) -> Plan {
        var plan = Plan.scan(query)
        plan.chunkCost = cost.chunk
        return plan
    }
}

extension QueryExecution {
    /// Makes every plan that applies to a query, its usual ones and others that would not be chosen; for tests.
    ///
    /// Each gives the same objects in the same order from every position. Some are given up on the way and go on by another one.
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
        guard query.predicate != nil || visibility != nil, var candidates = own() else {
            return plans
        }
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

/// The beginning of a scan by columns, from which the planner estimates the number of matches.
extension Planner {
    /// Whether a page in the order of object keys is wanted.
    var isPage: Bool { query.sort.isEmpty && !query.isCounted && query.expectedCount != nil }

    /// Returns the scan of a page that the first chunk of columns fills, where that is evaluated as soon as an index
    /// is asked; nil where it does not, and the query has to be planned.
    mutating func immediatePage() throws(StoreError) -> Plan? {
        guard isPage, transaction.columns?.hasColumns(rowClass) == true, !isAnswered
        else { return nil }
        let scan = try scanCost()
        // The bound is the cost of asking an index.
        guard let chunk = scan.chunk, scan.start + chunk <= QueryCost.always else { return nil }
        return try isFilled() ? scanPlan(scan) : nil
    }

    /// Whether an index has a page at once: that of the only value, the primary key, or that of a text, which few
    /// objects share as a rule.
    private var isAnswered: Bool {
        let conjuncts = conjuncts
        return conjuncts.contains { conjunct in
            guard case .comparison(let comparison) = conjunct, comparison.comparison == .equal,
                case .path(let path, _) = comparison.left, let member = path.ownMember,
                rowClass.isIndexed(member)
            else { return false }
            if conjuncts.count == 1 || member == rowClass.primaryKeyIndex { return true }
            if case .texts? = ColumnForm(rowClass.members[member].storage) { return true }
            return false
        }
    }

    /// Begins the scan by columns, and tells whether its first chunk has the page that is wanted.
    mutating func isFilled() throws(StoreError) -> Bool {
        try begin()
        guard isPage, let wanted = query.expectedCount else { return false }
        return beginning?.nextCount ?? 0 >= wanted
    }

    /// Begins a scan by the columns that were looked for, where they answer the whole condition.
    private mutating func begin() throws(StoreError) {
        guard beginning == nil, let prepared = preparedScan else { return }
        let scan = try ColumnScan(
            query.predicate, rowClass, sort: query.sort, in: transaction, readsAll: false,
            prepared: prepared)
        // Without it the program would be bound twice.
        preparedScan?.begun = scan
        guard let scan else {
            preparedScan = nil
            return
        }
        beginning = try scan.begin(after: query.sort.isEmpty ? query.after?.key ?? 0 : 0)
    }

    /// Estimates the matches from the beginning of a scan by columns; nil without such a beginning, or if all matches are wanted.
    mutating func matchesByColumns(_ scan: ScanCost, _ total: Int) throws(StoreError) -> Int? {
        guard scan.isByColumns, query.expectedCount != nil, !query.isCounted else { return nil }
        try begin()
        guard let beginning, beginning.objectCount > 0 else { return nil }
        // If no object matched, there may still be half a match.
        let share = QueryCost.times(beginning.matchCount, total) / beginning.objectCount
        return max(1, share, total / (2 * beginning.objectCount))
    }
}

/// The cost of looking up a row by its object key, see ``QueryCost``. It is higher in a large class, because its rows are not in
/// the processor's caches.
struct LookUpCost {
    /// The object keys rising.
    let rising: Int
    /// The object keys in no order.
    let any: Int

    /// The cost in a class of some 500,000 objects, for classes with an unknown number of objects.
    static let large = LookUpCost(objectCount: 1 << 19)

    /// Fitted to `Benchmarks --only planner` (20,000 objects) and to queries of 300,000 people: 0.25 µs in the small class, and
    /// for each doubling from there on 80 ns more, or 160 ns if the keys do not rise.
    init(objectCount: Int) {
        let doublings = max(0, Int.bitWidth - 1 - objectCount.leadingZeroBitCount - 14)
        rising = 12 + 4 * doublings
        any = 12 + 8 * doublings
    }
}
