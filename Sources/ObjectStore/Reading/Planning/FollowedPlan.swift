import HoldfastQuery

/// A plan that a query followed, to its end or until it was given up, for `explain`.
package struct FollowedPlan: Sendable {
    /// The plan.
    package var plan: Plan
    /// The columns that a scan went by, without those of what objects there are; none for one of rows.
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
