import Query
import Rows

/// A path from a query's objects to a property that the query reads.
///
/// When an object at its end changes, the path is walked backwards to the objects that the change may concern.
package struct DependencyPath: Hashable, Sendable {
    /// The steps; empty for a property of the query's own objects.
    package var steps: [PathStep]
    /// The property at its end, by position in the last step's class.
    package var member: Int

    /// Makes a path.
    package init(steps: [PathStep], member: Int) {
        self.steps = steps
        self.member = member
    }
}
