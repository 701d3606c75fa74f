import Query
import Rows
import Storage

/// What is seen of a query before it is planned in earnest: whether the beginning of a scan is likely to fill
/// its page, so that all planning would be in vain.
extension Planner {
    /// So many entries of one value tell how dense they lie.
    private static let sampleCount = 16
    /// The most that a trial may cost, see ``QueryCost``.
    private static let trialCostMax = 4 * QueryCost.always
    /// The most that a chunk may cost that is looked at before any index is asked: about what that takes.
    private static let immediateCostMax = QueryCost.always / 2

    // MARK: Trials

    /// The plan to look at the first chunk of a scan by columns, for a page in the order of object keys, and to
    /// plan the query only where that does not fill it.
    ///
    /// What an index answers at once must not wait for that. So a few entries of each source are read, as
    /// many as would cost about a trial to look up: one that ends there is the better plan, and one whose
    /// entries lie too thin to fill the page from a chunk rules the trial out.
    ///
    /// - Returns: Nil where the query has to be planned.
    mutating func trial(
        _ own: [IndexConstraint], _ further: [PlanCandidate]
    ) throws(Failure) -> Plan? {
        guard isTriable, let wanted = query.expectedCount, let (scan, cost) = try trialCost() else {
            return nil
        }
        let bound = Self.bound(cost)
        for constraint in own {
            if constraint.ranges.count == 1, constraint.holdsSingleValues {
                let sample = try sample(constraint)
                guard sample.count == Self.sampleCount,
                    Self.sampleCount * ColumnChunk.keyCount / sample.span >= wanted
                else { return nil }
            } else if try count(constraint, upTo: bound) < bound {
                return nil
            }
        }
        return try isSmall(further, bound) ? nil : trialPlan(scan, cost)
    }

    /// The trial that is made before any index is asked: of a chunk that costs no more than to ask them, or of a
    /// page like one that a trial has filled before.
    ///
    /// - Returns: Nil where an index is asked first.
    mutating func earlyTrial(_ predicate: Predicate) throws(Failure) -> Plan? {
        guard isTriable, let columns = transaction.columns, columns.hasColumns(rowClass),
            !isAnswered(predicate), let (scan, cost) = try trialCost(), let chunk = scan.chunk
        else { return nil }
        if cost - QueryCost.columnScan <= Self.immediateCostMax {
            var plan = scanPlan(scan)
            // Behind a position there is only a part of the first chunk. Where that has filled some of the
            // page, asking the indexes and looking up what they have would cost as much as several more.
            plan.fallback = .plan(
                cost: query.after == nil ? chunk : 2 * chunk, otherCost: 3 * QueryCost.always)
            return plan
        }
        let key = TrialMemory.key(query, rowClass)
        trialKey = key
        return columns.trials.has(key) ? trialPlan(scan, cost) : nil
    }

    /// Whether an index has a page at once: that of the only value, the primary key, or that of a text, which
    /// few objects share as a rule.
    private func isAnswered(_ predicate: Predicate) -> Bool {
        switch predicate {
        case .comparison(let comparison): return Self.equalPath(comparison) != nil
        case .and(let parts):
            for case .comparison(let comparison) in parts {
                guard case .value(let member)? = Self.equalPath(comparison)?.terminal else {
                    continue
                }
                if member == rowClass.primaryKeyIndex { return true }
                if rowClass.isIndexed(member),
                    case .texts? = ColumnForm(rowClass.members[member].storage)
                {
                    return true
                }
            }
            return false
        default: return false
        }
    }

    /// The object's own property that a comparison wants to be equal to something.
    private static func equalPath(_ comparison: Comparison) -> ValuePath? {
        guard comparison.comparison == .equal, case .path(let path, _) = comparison.left,
            path.steps.isEmpty
        else { return nil }
        return path
    }

    private var isTriable: Bool {
        mayTry && mayUseColumns && costSpent == 0 && costMax == .max && query.sort.isEmpty
            && !query.isCounted && query.expectedCount != nil
    }

    /// What a scan and a trial cost; nil where there is none.
    private mutating func trialCost() throws(Failure) -> (scan: ScanCost, trial: Int)? {
        let scan = try scanCost()
        guard let chunk = scan.chunk, preparedScan != nil,
            scan.start + chunk <= Self.trialCostMax
        else { return nil }
        return (scan, scan.start + chunk)
    }

    /// How many entries tell that a source is dearer than a trial.
    private static func bound(_ trialCost: Int) -> Int {
        min(firstBound, max(sampleCount, trialCost / 8))
    }

    private func trialPlan(_ scan: ScanCost, _ trialCost: Int) -> Plan {
        var plan = scanPlan(scan)
        plan.fallback = .plan(
            cost: trialCost - scan.start,
            otherCost: Self.bound(trialCost) * QueryCost.risingRow)
        return plan
    }

    /// Whether one of some candidates has its keys for a cost, or is likely to.
    private mutating func isSmall(
        _ further: [PlanCandidate], _ cost: Int
    ) throws(Failure) -> Bool {
        // What words are looked up for is seldom found sooner by a scan, and a few entries do not tell.
        guard !further.contains(where: \.source.isSearch) else { return true }
        for candidate in further {
            let source = try planned(candidate.source, cost)
            if try read(source, cost: cost) != nil { return true }
        }
        return false
    }

    // MARK: Density

    /// How the entries of one value lie, beside a scan by columns.
    enum Density {
        /// The scan costs less than the rows that the index looks up, whatever else is asked of them.
        case dense
        /// There are few, and their rows cost much less than the scan.
        case few
        /// Neither, or there are no columns, or nobody has looked.
        case unknown
    }

    /// How some entries of one value lie behind the query's position.
    ///
    /// Both they and the scan go by object key. So it is enough to compare what a look-up costs with what it
    /// costs to scan from one entry to the next. Where they come to an end all of them are known.
    mutating func density(_ constraint: IndexConstraint) throws(Failure) -> Density {
        guard constraint.residual != nil, constraint.ranges.count == 1,
            constraint.member != rowClass.primaryKeyIndex
        else { return .unknown }
        let scan = try scanCost()
        guard let chunk = scan.chunk else { return .unknown }
        let sample = try sample(constraint)
        let rows = sample.count * (QueryCost.entry + QueryCost.anyRow)
        guard sample.count == Self.sampleCount else {
            return 2 * rows <= scan.whole ? .few : .unknown
        }
        return QueryCost.times(sample.span, chunk) / ColumnChunk.keyCount < rows ? .dense : .unknown
    }

    /// A scan that is planned anew now and then: where entries lay dense there may be few further on.
    mutating func denseScan() throws(Failure) -> Plan {
        let scan = try scanCost()
        var plan = scanPlan(scan)
        let next = max(4 * QueryCost.always, QueryCost.times(costSpent, 8))
        if next < scan.whole { plan.fallback = .rethink(cost: next) }
        return plan
    }

    /// How many entries one value has behind the query's position, up to ``sampleCount``, and how many object
    /// keys lie between there and the last of them.
    private mutating func sample(
        _ constraint: IndexConstraint
    ) throws(Failure) -> (count: Int, span: Int) {
        let first = query.after?.key ?? 0
        var key = first
        let count = try count(constraint, upTo: Self.sampleCount, behind: first) { key = $0 }
        return (count, Int(clamping: max(1, key &- first)))
    }

    /// How many entries a constraint has, up to some number.
    ///
    /// - `first`: For one value, behind which object key they are counted.
    /// - `last`: Is told the object key of the last.
    private mutating func count(
        _ constraint: IndexConstraint, upTo countMax: Int, behind first: UInt64 = 0,
        last: (UInt64) -> Void = { _ in }
    ) throws(Failure) -> Int {
        var count = 0
        for range in EntryRange.ranges(search.access(constraint), rowClass)
        where count < countMax {
            do throws(StorageError) {
                try transaction.snapshot.scan(
                    first == 0 ? range : EntryRange.resume(range, after: first), reversed: false,
                    expecting: countMax
                ) { entry, _ in
                    count += 1
                    guard count == countMax else { return true }
                    if constraint.member != rowClass.primaryKeyIndex {
                        last(StoreKey.trailingObjectKey(entry))
                    }
                    return false
                }
            } catch {
                throw .store(.storage(error))
            }
        }
        entriesRead += count
        return count
    }
}
