import HoldfastThreads
import Synchronization

/// One query and its followers, as the change feed sees them.
///
/// All calls come from the feed's thread and must not block.
package protocol FeedChannel: AnyObject, Sendable {
    /// The query that the channel's followers share.
    var query: ObservedQuery { get }

    /// Whether it needs the edits of lists.
    var readsLists: Bool { get }

    /// Whether the feed leaves the filter to workers. Then ``touch(from:to:)`` reports each step that changes objects of the
    /// classes which the query reads.
    var isUntested: Bool { get }

    /// Whether it decides which parts of a step other channels may report, and so receives the step before them.
    var comesFirst: Bool { get }

    /// The client that pays for the channel's time in a step; nil for a channel that receives every step.
    var client: Int? { get }

    /// Whether the channel needs all events of a step, and not only the fact that the step has one.
    var wantsEvents: Bool { get }

    /// Takes the events of one step, which goes from the version `start` to `version`; there is at least one.
    func publish(_ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep)

    /// Reports that a step from the version `start` to `version` may concern an untested query.
    func touch(from start: UInt64, to version: UInt64)

    /// Reports that the feed cannot deliver the changes after the last step: the schema has changed, the change log was trimmed,
    /// a state could not be read, or a step had more to test than the feed does. The channel is no longer part of the feed.
    /// Followers that catch up learn the reason.
    ///
    /// - `isSlow`: Whether the filter takes too long for the feed's thread, so that workers should test it from now on.
    func invalidate(isSlow: Bool)
}

extension FeedChannel {
    package var readsLists: Bool { false }
    package var isUntested: Bool { false }
    package var comesFirst: Bool { false }
    package var client: Int? { nil }
    package var wantsEvents: Bool { true }
    package func touch(from start: UInt64, to version: UInt64) {}
}

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
