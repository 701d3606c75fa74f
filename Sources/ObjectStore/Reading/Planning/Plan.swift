import HoldfastQuery

/// The way in which a query finds its objects.
package struct Plan: Hashable, Sendable {
    /// The source of the order.
    package enum Order: Hashable, Sendable {
        /// The entries of an index, or the objects by object key, have the order already, forwards or backwards.
        case natural(reversed: Bool)
        /// Object keys are collected and sorted; rows are then read in order.
        case collectKeys
        /// The objects of a page are kept in a bounded heap while all are read.
        case sort
    }

    /// The reaction to a plan that turns out to cost more than was estimated.
    package enum Fallback: Hashable, Sendable {
        /// Nothing: it is followed to its end.
        case none
        /// When it has cost this much (see ``QueryCost``), the query goes on by another plan, behind the
        /// last object that was handed over.
        indirect case after(cost: Int, Plan)
    }

    /// The source of object keys; nil where every object of the class is looked at, by object key.
    ///
    /// Another kind of index is another case of ``PlanSource``: it says which object keys it finds, and
    /// everything else (intersections, unions, orders, pages, counts) follows from that.
    package var source: PlanSource?
    /// The source of the order.
    package var order: Order
    /// The condition that each object still has to be tested for; nil if there is nothing left to test.
    package var residual: Predicate?
    /// The source's object keys, rising, where planning has read them already.
    package var keys: [UInt64]?
    /// Whether the view's rule holds of each object that the source finds, so that it is not evaluated for them.
    var satisfiesRule = false
    /// The reaction when it costs too much.
    package var fallback = Fallback.none
    /// For a scan, the cost of a chunk by the columns that were in memory when it was planned; nil for a plan without columns.
    package var chunkCost: Int?

    /// No object: the conditions exclude each other.
    static let nothing = Plan(source: .nothing, order: .natural(reversed: false))

    /// Makes the plan that tests every object of the class.
    package static func scan(_ query: ObjectQuery) -> Plan {
        Plan(
            source: nil, order: query.sort.isEmpty ? .natural(reversed: false) : .sort,
            residual: query.predicate)
    }
}

/// A plan that a query followed, to its end or until it was given up, for `explain`.
package struct FollowedPlan: Sendable {
    package var plan: Plan
    /// The columns of a scan, without the columns that list the present objects; empty for a scan of rows.
    package var columns: [ColumnReference] = []
    /// Whether a part of the condition, or all of it, was tested on rows.
    package var testsRows: Bool
    /// Whether it was given up for the next.
    package var isGivenUp = false
    /// The number of rows read, if the query is timed.
    package var rowsRead = 0
    /// The time for which it was followed, if the query is timed.
    package var microseconds: UInt64 = 0

    init(_ plan: Plan) {
        self.plan = plan
        testsRows = plan.residual != nil
    }
}

/// A candidate of a plan: a source of object keys, the conditions that it settles, and its size as far as it is known before any
/// row is read.
struct PlanCandidate {
    /// The source of the object keys.
    var source: PlanSource
    /// The positions of the conjuncts that all found objects satisfy.
    var covered: [Int]
    var isExact: Bool
    /// Whether it is a candidate of the view's rule. If exact, its objects are shown without evaluating the rule.
    var isOfRule = false
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
