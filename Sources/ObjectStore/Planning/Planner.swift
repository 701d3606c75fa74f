import Query
import Rows
import Storage

/// Chooses how a query finds its objects, once, before the first is looked for (decision 15).
///
/// A class knows how many objects it has. Of each source of keys up to ``entryCountMax`` entries are read: what
/// has fewer is known to the last, and is taken. Of what has more, and of the whole condition, a sample of the
/// class's rows tells the share. From these numbers the cost of each way follows, and the least is chosen.
///
/// Beside columns that are in memory a scan costs a hundredth, and planning may cost no more. Entries are read as far
/// as looking their rows up would pay, and the sample is the chunk that the scan begins with: it is not evaluated
/// again, so that a page that it fills costs no more than the scan.
///
/// A walk in the wanted order may fill a page soon or never, whatever a sample says. So a plan that is not a scan
/// has an end (``Plan/Fallback``): where it has cost as much as a part of the next best, that takes over behind the
/// last object that was handed over.
struct Planner {
    typealias Failure = QueryExecution.Failure

    /// The most entries that are read of a source of keys to plan.
    static let entryCountMax = 64
    /// The least objects of a class that is worth a sample.
    private static let sampledCountMin = 256

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
    private(set) var expected = (cost: 0, count: 0)
    private var objectCount: Int?
    /// What the first chunk of a scan by columns has; nil where the scan was not begun.
    var beginning: ColumnScan.Beginning?
    /// What a scan costs by columns; nil where there are none, or nobody has asked.
    private var columnCost: ScanCost?
    /// What a tested row costs beside ``QueryCost/scannedRow``: to follow links, as far as the sample tells.
    private var testCost: Int

    init(_ query: ObjectQuery, _ transaction: ReadTransaction, _ limits: QueryLimits) {
        self.transaction = transaction
        self.query = query
        self.limits = limits
        rowClass = transaction.rows.classes[query.classIndex]
        search = CandidateSearch(schema: transaction.rows, rowClass: rowClass)
        testCost = RowCost(query.predicate).tested - QueryCost.scannedRow
    }

    /// The plan for a count of what one comparison says, where an index knows and the class has no columns:
    /// nothing is cheaper than to count its entries. Nil for everything that has to be thought about.
    static func obvious(_ query: ObjectQuery, _ transaction: ReadTransaction) -> Plan? {
        let rowClass = transaction.rows.classes[query.classIndex]
        guard query.isCounted, query.sort.isEmpty,
            case .comparison(let comparison)? = query.predicate,
            let own = comparison.constraint, own.isExact, !own.ranges.isEmpty,
            rowClass.isIndexed(own.member), transaction.columns?.hasColumns(rowClass) != true
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
        let further = search.further(predicate, beside: own)
        if own.isEmpty, further.isEmpty, natural == nil {
            // The query that this may be a part of wants to know what it costs.
            if query.isCounted { expected = (try scanCost().whole, try total()) }
            return .scan(query)
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

    // MARK: What is known

    /// A source of keys with what its first entries say: all of them where they are few.
    private mutating func estimate(
        _ candidate: PlanCandidate, _ total: Int, _ scan: ScanCost
    ) throws(Failure) -> PlanSourceEstimate {
        var candidate = candidate
        var startCost = 0
        candidate.source = try planned(candidate.source, &startCost)
        // Each word, cell or target of a link is a look-up.
        let cost = candidate.source.needsLookUps ? QueryCost.always : entryCountMax(scan, total)
        var collector = KeyCollector(transaction, limits, cost: cost)
        var keys = try collector.keys(candidate.source, of: rowClass)
        entriesRead += collector.entriesRead
        // Without a sample one value is guessed to be rarer than a range.
        let share = candidate.source.holdsSingleValues || candidate.source.isSearch ? 32 : 4
        let count = keys?.count ?? max(Self.entryCountMax + 1, total / share)
        // The cells that are found for so little are large: where many points lie in them, closer ones pay.
        if case .points = candidate.source,
            QueryCost.times(count, QueryCost.risingRow) > QueryCost.cover
        {
            keys = nil
        }
        return PlanSourceEstimate(
            candidate: candidate, keys: keys, count: count, startCost: startCost)
    }

    /// How many entries are read of a range of an index: by columns so many that to look their rows up costs a quarter
    /// of a scan, since a row of a sample would stand for more.
    private func entryCountMax(_ scan: ScanCost, _ total: Int) -> Int {
        guard scan.isByColumns else { return Self.entryCountMax }
        let cost = beginning == nil ? scan.whole : pageCost(scan, matchesByColumns(total), total)
        // Of a page not all of them are looked up.
        return isPage
            ? min(Self.entryCountMax, max(16, cost / QueryCost.risingRow))
            : max(16, cost / (4 * QueryCost.risingRow))
    }

    /// What it costs until a scan has what is wanted.
    private func pageCost(_ scan: ScanCost, _ matches: Int, _ total: Int) -> Int {
        guard isPage, let wanted = query.expectedCount else { return scan.whole }
        let cost = min(scan.whole, scan.cost(ofFirst: QueryCost.times(wanted, total) / matches))
        // Columns leave the rows that match to be read, and other rows are read to be tested.
        return scan.isByColumns
            ? cost + QueryCost.times(min(wanted, matches), QueryCost.risingRow) : cost
    }

    /// How many objects match, as far as the beginning of a scan by columns, or the sample of the class, tells.
    private mutating func sampledMatches(
        _ predicate: Predicate, _ sources: inout [PlanSourceEstimate], _ scan: ScanCost,
        _ total: Int
    ) throws(Failure) -> (count: Int, of: SampleCounts?)? {
        if preparedScan != nil {
            // Where all is wanted without an order, no number would change the choice.
            guard query.expectedCount != nil, !query.isCounted else { return nil }
            try begin()
            return (matchesByColumns(total), nil)
        }
        guard let counts = try sampleCounts(predicate, sources, scan, total) else { return nil }
        for index in sources.indices {
            sources[index].count = max(
                Self.entryCountMax + 1, counts.scaled(counts.count([index]), to: total))
        }
        return (counts.scaled(counts.matchCount, to: total), counts)
    }

    /// Counts the rows of the class's sample that satisfy the condition; nil without one.
    private mutating func sampleCounts(
        _ predicate: Predicate, _ sources: [PlanSourceEstimate], _ scan: ScanCost, _ total: Int
    ) throws(Failure) -> SampleCounts? {
        guard total >= Self.sampledCountMin, let samples = transaction.samples,
            let sample = samples.sample(
                of: rowClass, objectCount: total, commit: transaction.commit)
        else { return nil }
        let counts: SampleCounts
        do throws(StoreError) {
            counts = try SampleCounts(
                sample, predicate, sources.map(\.candidate), in: transaction,
                until: limits.deadlineMilliseconds,
                costMax: scan.isByColumns
                    ? scan.whole / 32 : min(scan.whole / 8, QueryCost.sampleMax),
                rowCost: QueryCost.scannedRow + testCost)
        } catch {
            throw .store(error)
        }
        entriesRead += counts.followedCount
        guard counts.testedCount > 0 else { return nil }
        testCost += counts.followedCount * QueryCost.followed / counts.testedCount
        return counts
    }

    // MARK: Choosing

    /// A set of sources whose common keys are looked up, and what that is likely to cost.
    private struct KeyPlan {
        var sources: [Int]
        var keyCount: Int
        var cost: Int
        var isCovered: Bool
    }

    private mutating func choose(
        _ predicate: Predicate, _ own: [IndexConstraint], _ further: [PlanCandidate],
        _ natural: Plan?
    ) throws(Failure) -> Plan {
        let conjuncts = predicate.conjuncts
        let total = try total()
        var scan = try scanCost()
        var sources: [PlanSourceEstimate] = []
        for constraint in own {
            sources.append(try estimate(search.candidate(constraint, conjuncts), total, scan))
        }
        // What needs the objects of other classes is looked at when the own indexes do not do, and not before a chunk
        // of columns.
        if !sources.contains(where: { $0.keys != nil }) {
            if scan.isByColumns, isPage, try isFilled() { return scanPlan(scan) }
            let mayLookUp = !scan.isByColumns || scan.whole >= 16 * QueryCost.always
            for candidate in further where mayLookUp || !candidate.source.needsLookUps {
                sources.append(try estimate(candidate, total, scan))
            }
        }
        var matchCount = sources.compactMap { $0.keys?.count }.min()
        var counts: SampleCounts?
        if matchCount == nil,
            let sampled = try sampledMatches(predicate, &sources, scan, total)
        {
            (matchCount, counts) = sampled
            if !scan.isByColumns { scan = try scanCost() }
        }
        // Beside columns more entries than were read don't pay.
        let usable = scan.isByColumns && counts == nil ? sources.filter { $0.keys != nil } : sources
        let guessed = sources.map(\.count).min() ?? total
        let matches = max(1, matchCount ?? guessed / (conjuncts.count > 1 ? 4 : 1))
        let best = keyPlan(usable, conjuncts, matches, counts, total)
        expected = (min(best?.cost ?? .max, scan.whole), matches)
        let keys = try best.map { best throws(Failure) in
            try self.plan(best, usable, conjuncts)
        }
        guard let natural else {
            return scanOrKeys(scan, best, keys, matches, total)
        }
        let range = own.indices.first { own[$0].member == search.sortMember(query)?.member }
        let rangeCount = range.map { sources[$0].count } ?? total
        let walkedRow = QueryCost.entry + QueryCost.anyRow + testCost
        guard let wanted = query.expectedCount else {
            // Where all is wanted, an order by an index needs no memory and a sort does.
            guard let best, var keys, best.cost < QueryCost.times(rangeCount, walkedRow) else {
                return natural
            }
            if keys.keys == nil {
                keys.fallback = .after(cost: QueryCost.times(rangeCount, walkedRow), natural)
            }
            return keys
        }
        let walked = min(
            rangeCount, max(wanted, QueryCost.times(wanted, rangeCount) / matches + 1))
        let walk = QueryCost.times(walked, walkedRow)
        // The entries of the range that is walked, all of them and not in its order, would be no better.
        let isWalk =
            best.map { $0.sources == [range] && usable[$0.sources[0]].keys == nil } ?? false
        let other = isWalk ? nil : best
        let rest = scanOrKeys(scan, other, keys, matches, total)
        // The matches of the first chunk are sorted before any other is ruled out by them.
        let sortCost = (beginning?.matchCount ?? 0) / 2
        let restCost = min(other?.cost ?? .max, QueryCost.sum(scan.whole, sortCost))
        // Values may go together: the first of the order may fill the page though few match, so that a part of what the
        // next best costs is spent on them in any case, and on two pages, or some 40 µs, where only a sample
        // tells what that costs. Beside columns a row may cost twice what is reckoned.
        let page = QueryCost.times(wanted, QueryCost.entry + QueryCost.anyRow)
        var walkMax = restCost / (scan.isByColumns ? 32 : 6)
        if !scan.isByColumns, keys?.keys == nil {
            walkMax = max(walkMax, min(scan.whole / 3, max(2 * page, 4 * QueryCost.always)))
        }
        if walk < restCost / 5 * 2 {
            walkMax = max(walkMax, min(max(2 * walk, restCost / 4), restCost / 5 * 2))
        }
        guard page <= walkMax else { return rest }
        var plan = natural
        plan.fallback = .after(cost: walkMax, rest)
        return plan
    }

    /// A scan, or the rows of some keys: what is likely to cost less, with the other behind it where that is not
    /// sure.
    private func scanOrKeys(
        _ scan: ScanCost, _ best: KeyPlan?, _ keys: Plan?, _ matches: Int, _ total: Int
    ) -> Plan {
        var scanned = scanPlan(scan)
        guard let best, var keys else { return scanned }
        let scanCost = pageCost(scan, matches, total)
        // A few that are known already are read at once, and beside columns a row that is looked up may cost twice
        // what is reckoned.
        let isFew = !scan.isByColumns && (keys.keys?.count ?? .max) <= Self.entryCountMax
        if isFew || best.cost < (scan.isByColumns ? scanCost / 2 : scanCost) {
            if keys.keys == nil {
                let goesByKey = query.sort.isEmpty && !query.isCounted
                let most = goesByKey ? scan.whole / 2 : scan.whole
                keys.fallback = .after(cost: max(most, 2 * best.cost), scanned)
            }
            return keys
        }
        if isPage, best.cost < scan.whole / 2 {
            keys.fallback = .none
            scanned.fallback = .after(cost: max(2 * scanCost, best.cost), keys)
        }
        return scanned
    }

    /// The sources whose common keys cost least to be looked up; nil when there are none.
    private func keyPlan(
        _ sources: [PlanSourceEstimate], _ conjuncts: [Predicate], _ matches: Int,
        _ counts: SampleCounts?, _ total: Int
    ) -> KeyPlan? {
        var best: KeyPlan?
        for index in sources.indices {
            let own = keyPlan([index], sources, conjuncts, matches, counts, total)
            if best.map({ own.cost < $0.cost }) ?? true { best = own }
        }
        guard var chosen = best else { return nil }
        for index in sources.indices.sorted(by: { sources[$0].count < sources[$1].count })
        where !chosen.sources.contains(index) {
            let more = keyPlan(
                chosen.sources + [index], sources, conjuncts, matches, counts, total)
            if more.cost < chosen.cost { chosen = more }
        }
        return chosen
    }

    private func keyPlan(
        _ used: [Int], _ sources: [PlanSourceEstimate], _ conjuncts: [Predicate], _ matches: Int,
        _ counts: SampleCounts?, _ total: Int
    ) -> KeyPlan {
        var keyCount = used.map { sources[$0].count }.min() ?? total
        if used.count > 1 {
            // Where no row of a sample has all of them, they are taken to have nothing to do with each other.
            let sampled = counts?.count(used) ?? 0
            let whole = Double(max(1, total))
            let common = used.reduce(whole) { $0 * Double(sources[$1].count) / whole }
            keyCount = min(
                keyCount,
                sampled > 0 ? counts?.scaled(sampled, to: total) ?? total : Int(common) + 1)
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
        var cost = QueryCost.times(rowCount, QueryCost.risingRow + testCost)
        for index in used {
            let source = sources[index]
            // One value's entries stand in the wanted order: a page reads no more of them than rows.
            let isOrdered =
                used.count == 1 && query.sort.isEmpty && !query.isCounted
                && source.candidate.source.isSingleIndexValue
            cost = QueryCost.sum(cost, isOrdered ? rowCount * QueryCost.entry : source.cost)
        }
        return KeyPlan(sources: used, keyCount: keyCount, cost: cost, isCovered: isCovered)
    }

    /// The plan that looks up the common keys of some sources.
    private func plan(
        _ chosen: KeyPlan, _ sources: [PlanSourceEstimate], _ conjuncts: [Predicate]
    ) throws(Failure) -> Plan {
        let used = chosen.sources.map { sources[$0] }.sorted { $0.count < $1.count }
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

extension CandidateSearch {
    /// The property whose index has the wanted order, and its direction; nil when there is none.
    func sortMember(_ query: ObjectQuery) -> (member: Int, isAscending: Bool)? {
        guard query.sort.count == 1, let key = query.sort.first, key.path.steps.isEmpty,
            case .value(let member) = key.path.terminal, isIndexed(member)
        else { return nil }
        return (member, key.isAscending)
    }
}
