/// What is known of a way to find the objects of a query by keys, before any row is read.
struct PlanSourceEstimate {
    /// The way.
    var candidate: PlanCandidate
    /// Its keys, rising, where there were so few that all were read.
    var keys: [UInt64]? { didSet { count = keys?.count ?? count } }
    /// How many keys it is likely to have.
    var count = Int.max
    /// What has to be looked up before its first key, see ``QueryCost``.
    var startCost = 0

    init(_ candidate: PlanCandidate) { self.candidate = candidate }

    /// What it is likely to cost to have its keys: each is read and sorted.
    var cost: Int {
        guard keys == nil else { return 0 }
        let isSearch = candidate.source.isSearch
        // The lists of several words are longer than what they have in common.
        return startCost + QueryCost.times(count, (isSearch ? 4 : 2) * QueryCost.entry)
    }

    /// Guesses how many keys it has, where that is not known.
    mutating func guess(_ total: Int) {
        guard keys == nil else { return }
        count = max(Planner.entryCountMax + 1, Int(Double(total) * candidate.source.guessedShare))
    }
}

extension PlanSource {
    /// The share of the objects that it is taken to find where nothing tells: of a value less than of a range.
    fileprivate var guessedShare: Double {
        switch self {
        case .primaryKey(let ranges), .index(_, let ranges):
            min(0.25, ranges.reduce(0) { $0 + ($1.isSingleValue ? 1.0 / 32 : 0.25) })
        case .words, .points: 1.0 / 32
        case .links: 0.25
        case .all(let parts): parts.map(\.guessedShare).min() ?? 1
        case .any(let parts): min(1, parts.reduce(0) { $0 + $1.guessedShare })
        }
    }
}
