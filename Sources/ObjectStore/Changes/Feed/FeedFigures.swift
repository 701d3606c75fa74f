import Synchronization
import HoldfastThreads

/// Figures that show how a change feed keeps up with the commits. Any thread.
package final class FeedFigures: Sendable {
    private let steps = Atomic<Int>(0)
    private let foldedSteps = Atomic<Int>(0)
    private let lag = Atomic<UInt64>(0)

    /// The number of delivered steps.
    package var stepCount: Int { steps.load(ordering: .relaxed) }
    /// The number of delivered steps that cover several versions.
    package var foldedStepCount: Int { foldedSteps.load(ordering: .relaxed) }
    /// The time from a commit to the end of its step, in nanoseconds, for the last step.
    package var lagNanoseconds: UInt64 { lag.load(ordering: .relaxed) }

    func noteStep(versionCount: UInt64) {
        steps.wrappingAdd(1, ordering: .relaxed)
        if versionCount > 1 { foldedSteps.wrappingAdd(1, ordering: .relaxed) }
    }

    func noteLag(since time: UInt64) {
        lag.store(monotonicNanoseconds() &- time, ordering: .relaxed)
    }
}
