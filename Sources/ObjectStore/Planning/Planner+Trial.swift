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
    /// - `known`: Takes the sources that have ended.
    /// - Returns: Nil where the query has to be planned.
    mutating func trial(
        _ own: [IndexConstraint], _ candidates: (own: [PlanCandidate], further: [PlanCandidate]),
        _ known: inout [Known]
    ) throws(Failure) -> Plan? {
        guard mayTry, costSpent == 0, costMax == .max, query.sort.isEmpty, !query.isCounted,
            let wanted = query.expectedCount
        else { return nil }
        let scan = try scanCost()
        guard let chunk = scan.chunk, columnProgram != nil,
            scan.start + chunk <= Self.trialCostMax
        else { return nil }
        let bound = min(Self.firstBound, max(Self.sampleCount, (scan.start + chunk) / 8))
        for (constraint, candidate) in zip(own, candidates.own) {
            if constraint.ranges.count == 1, constraint.holdsSingleValues {
                let sample = try sample(constraint)
                guard sample.count == Self.sampleCount,
                    Self.sampleCount * ColumnChunk.keyCount / sample.span >= wanted
                else { return nil }
            } else {
                known = try read([candidate], bound)
                guard known.isEmpty else { return nil }
            }
        }
        for candidate in candidates.further {
            known = try read([candidate], bound)
            guard known.isEmpty else { return nil }
        }
        var plan = scanPlan(scan)
        plan.fallback = .plan(cost: chunk)
        return plan
    }

    // MARK: Density

    /// Whether a scan tests fewer rows than an index of one value looks up, whatever else is asked of them.
    ///
    /// Both go by object key. So it is enough to compare what a look-up costs with what it costs to scan from
    /// one entry to the next; some entries behind the query's position tell how far that is.
    mutating func isDense(_ constraint: IndexConstraint) throws(Failure) -> Bool {
        guard constraint.residual != nil, constraint.ranges.count == 1,
            constraint.member != rowClass.primaryKeyIndex
        else { return false }
        let sample = try sample(constraint)
        guard sample.count == Self.sampleCount else { return false }
        let scan = try scanCost()
        let scanned =
            scan.chunk.map { QueryCost.times(sample.span, $0) / ColumnChunk.keyCount }
            ?? QueryCost.times(sample.span, rowCost)
        return scanned < Self.sampleCount * (QueryCost.entry + QueryCost.anyRow)
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
        let last: UInt64
        var count = 0
        var key = first
        let access = search.access(constraint)
        for range in EntryRange.ranges(access, rowClass) {
            do throws(StorageError) {
                try transaction.snapshot.scan(
                    first == 0 ? range : EntryRange.resume(range, after: first), reversed: false,
                    expecting: Self.sampleCount
                ) { entry, _ in
                    count += 1
                    key = StoreKey.trailingObjectKey(entry)
                    return count < Self.sampleCount
                }
            } catch {
                throw .store(.storage(error))
            }
        }
        entriesRead += count
        last = key
        return (count, Int(clamping: max(1, last &- first)))
    }
}
