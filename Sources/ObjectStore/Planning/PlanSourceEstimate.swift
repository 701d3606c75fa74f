/// What is known of a way to find the objects of a query by keys, before any row is read.
struct PlanSourceEstimate {
    /// The way.
    var candidate: PlanCandidate
    /// Its keys, rising, where there were so few that all were read.
    var keys: [UInt64]?
    /// How many keys it is likely to have.
    var count: Int
    /// What has to be looked up before its first key, see ``QueryCost``.
    var startCost: Int

    /// What it is likely to cost to have its keys: each is read and sorted.
    var cost: Int {
        guard keys == nil else { return 0 }
        let isSearch = candidate.source.isSearch
        // The lists of several words are longer than what they have in common.
        return startCost + QueryCost.times(count, (isSearch ? 4 : 2) * QueryCost.entry)
    }
}
