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
