import Query
import Rows

/// A way from a query's objects to a property that decides about them.
///
/// Given an object that changed there, the way is walked backwards to the objects it may concern.
package struct ReachPath: Hashable, Sendable {
    /// The way; empty for a property of the query's own objects.
    package var steps: [PathStep]
    /// The property at its end, by position in the last step's class.
    package var member: Int

    /// Makes a way.
    package init(steps: [PathStep], member: Int) {
        self.steps = steps
        self.member = member
    }
}
