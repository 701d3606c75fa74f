import HoldfastQuery
import HoldfastRows

/// A candidate of a plan: a source of object keys, the conditions that it settles, and its size as far as it is known before any
/// row is read.
struct PlanCandidate {
    /// The source of the object keys.
    var source: PlanSource
    /// The positions of the conjuncts that all found objects satisfy.
    var covered: [Int]
    /// Whether these are all conjuncts.
    var isExact: Bool
    /// Its keys, rising, where there were so few that all were read.
    var keys: [UInt64]? { didSet { count = keys?.count ?? count } }
    /// The likely number of its keys.
    var count = Int.max
    /// The cost of look-ups before its first key, see ``QueryCost``.
    var startCost = 0

    /// Makes the candidate of an index, or of the primary key, for a constraint.
    init(_ constraint: IndexConstraint) {
        source = .index(member: constraint.member, ranges: constraint.ranges)
        covered = constraint.covered
        isExact = constraint.isExact
    }

    /// Makes the candidate of a source for one of some conjuncts.
    init(_ source: PlanSource, of position: Int, in conjuncts: [Predicate], isExact: Bool) {
        self.source = source
        covered = isExact ? [position] : []
        self.isExact = isExact && conjuncts.count == 1
    }

    /// The property, of an index or the primary key alone.
    var member: Int? {
        if case .index(let member, _) = source { member } else { nil }
    }

    /// The likely cost of its keys: each is read and sorted.
    var cost: Int {
        guard keys == nil else { return 0 }
        // The lists of several words are longer than their intersection.
        return startCost + QueryCost.times(count, (source.isSearch ? 4 : 2) * QueryCost.entry)
    }

    /// Guesses how many keys it has, where that is not known.
    mutating func guess(_ total: Int) {
        guard keys == nil else { return }
        count = max(Planner.entryCountMax + 1, Int(Double(total) * source.guessedShare))
    }

    /// Tells which of some conjuncts hold of all objects that some candidates find together.
    static func areCovered(_ conjuncts: [Predicate], by candidates: [PlanCandidate]) -> [Bool] {
        var areCovered = [Bool](repeating: false, count: conjuncts.count)
        for candidate in candidates {
            for position in candidate.covered { areCovered[position] = true }
        }
        return areCovered
    }
}
