import Rows

/// What is read of the sources of keys to choose one.
extension Planner {
    /// How many keys of one source make it worth to read others beside it.
    private static let largeKeyCount = 64

    /// A candidate whose keys were read to the end.
    struct Known {
        var candidate: PlanCandidate
        var keys: [UInt64]
    }

    /// Those of some candidates whose keys can be read at a cost.
    mutating func read(
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

    mutating func read(_ source: PlanSource, cost: Int) throws(Failure) -> [UInt64]? {
        var collector = KeyCollector(transaction, limits, cost: cost)
        defer { entriesRead += collector.entriesRead }
        return try collector.keys(source, of: rowClass)
    }

    /// Leaves only the keys that other candidates have too, where reading those costs less than the rows
    /// that are spared.
    mutating func intersection(
        _ best: Known, _ known: [Known], _ candidates: [PlanCandidate], _ scan: ScanCost
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
            let cost = min(
                QueryCost.times(keys.count, QueryCost.risingRow) / 3,
                scan.isByColumns ? scan.whole / 16 : .max)
            guard let more = try read([other], min(cost, costMax)).first else { continue }
            keys = KeyCollector.common(keys, more.keys)
            used.append(more.candidate)
        }
        return (used, keys)
    }
}
