import Query
import Rows

/// What is known of the sources of a query's keys.
extension Planner {
    /// The least objects of a class that is worth a sample.
    private static let sampledCountMin = 256

    /// The keys of a source, where they cost no more.
    mutating func look(at source: PlanSource, cost: Int) throws(Failure) -> [UInt64]? {
        var collector = KeyCollector(transaction, limits, cost: cost)
        defer { entriesRead += collector.entriesRead }
        return try collector.keys(source, of: rowClass)
    }

    /// A source that needs more than an index of the class, with its keys where they are few.
    mutating func look(
        at candidate: PlanCandidate, _ scan: ScanCost
    ) throws(Failure) -> PlanSourceEstimate {
        var estimate = PlanSourceEstimate(candidate)
        let source = try planned(candidate.source, &estimate.startCost)
        estimate.candidate.source = source
        // Each word, cell or target of a link is a look-up, and a close cover takes its time too.
        var cost = source.needsLookUps ? QueryCost.always : Self.entryCountMax
        if case .points = source, scan.whole >= 32 * QueryCost.cover { cost += QueryCost.cover }
        let keys = try look(at: source, cost: cost)
        // The cells that are found for so little are large: where many points lie in them, closer ones pay.
        if case .points = source, let keys,
            QueryCost.times(keys.count, QueryCost.risingRow) > QueryCost.cover
        {
            return estimate
        }
        estimate.keys = keys
        return estimate
    }

    /// The sample of the class that is to tell how many objects satisfy the condition; nil without one.
    func sampleCounts(
        _ predicate: Predicate, _ sources: [PlanSourceEstimate], _ total: Int
    ) throws(Failure) -> SampleCounts? {
        guard total >= Self.sampledCountMin, let samples = transaction.samples,
            let sample = samples.sample(
                of: rowClass, objectCount: total, commit: transaction.commit)
        else { return nil }
        return SampleCounts(
            sample, predicate, sources.map(\.candidate.source),
            rowCost: RowCost(predicate).tested)
    }

    /// Tests some rows of the sample, and takes over what they say; false where no more would tell more.
    mutating func test(
        _ sample: inout SampleCounts, _ sources: inout [PlanSourceEstimate], _ total: Int
    ) throws(Failure) -> Bool {
        let goesOn: Bool
        do throws(StoreError) {
            goesOn = try sample.test(
                sources.map(\.candidate), in: transaction, until: limits.deadlineMilliseconds)
        } catch {
            throw .store(error)
        }
        guard sample.testedCount > 0 else { return false }
        for index in sources.indices {
            sources[index].count = max(
                Self.entryCountMax + 1, sample.scaled(sample.count([index]), to: total))
        }
        testCost =
            RowCost(query.predicate).tested - QueryCost.scannedRow
            + sample.followedCount * QueryCost.followed / sample.testedCount
        return goesOn
    }
}
