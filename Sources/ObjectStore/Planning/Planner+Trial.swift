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
        // What words are looked up for is seldom found sooner by a scan, and a few entries do not tell.
        guard !further.contains(where: \.source.isSearch) else { return nil }
        for candidate in further {
            let source = try planned(candidate.source, bound)
            if try read(source, cost: bound) != nil { return nil }
        }
        return trialPlan(scan, cost)
    }

    /// The trial of a query whose page one has filled before: nothing has to be read to say so.
    mutating func rememberedTrial(_ predicate: Predicate) throws(Failure) -> Plan? {
        guard isTriable, let columns = transaction.columns, columns.hasColumns(rowClass) else {
            return nil
        }
        // An index that has a value has a page of it.
        if case .comparison(let comparison) = predicate, comparison.comparison == .equal,
            case .path(let path, _) = comparison.left, path.steps.isEmpty
        {
            return nil
        }
        let key = TrialMemory.key(query, rowClass)
        trialKey = key
        guard columns.trials.has(key), let (scan, cost) = try trialCost() else { return nil }
        return trialPlan(scan, cost)
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

    // MARK: Density

    /// Whether a scan by columns costs less than the rows that an index of one value looks up, whatever else is
    /// asked of them.
    ///
    /// Both go by object key. So it is enough to compare what a look-up costs with what it costs to scan from
    /// one entry to the next; some entries behind the query's position tell how far that is.
    mutating func isDense(_ constraint: IndexConstraint) throws(Failure) -> Bool {
        guard constraint.residual != nil, constraint.ranges.count == 1,
            constraint.member != rowClass.primaryKeyIndex
        else { return false }
        guard let chunk = try scanCost().chunk else { return false }
        let sample = try sample(constraint)
        guard sample.count == Self.sampleCount else { return false }
        return QueryCost.times(sample.span, chunk) / ColumnChunk.keyCount
            < Self.sampleCount * (QueryCost.entry + QueryCost.anyRow)
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
