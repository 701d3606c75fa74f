/// One query and its followers, as the change feed sees them.
///
/// All calls come from the feed's thread and must not block.
package protocol FeedChannel: AnyObject, Sendable {
    /// The query that the channel's followers share.
    var query: ObservedQuery { get }

    /// Whether it asks what was done to lists.
    var readsLists: Bool { get }

    /// Whether the feed leaves the filter to workers: the channel is told of each step that changes objects of the
    /// classes which the query reads, by ``touch(from:to:)``.
    var isUntested: Bool { get }

    /// Whether it decides what others may be told of a step, and so is told before them.
    var comesFirst: Bool { get }

    /// The client that pays for the channel's time in a step; nil for a channel that receives every step.
    var client: Int? { get }

    /// Whether the channel needs all events of a step, and not only the fact that the step has one.
    var wantsEvents: Bool { get }

    /// Takes the events of one step, which goes from the version `start` to `version`; there is at least one.
    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep)

    /// Learns that a step from the version `start` to `version` may concern an untested query.
    func touch(from start: UInt64, to version: UInt64)

    /// Learns that the feed can't tell what comes after the last step: the schema has changed, the change log was
    /// trimmed, a state could not be read, or a step had more to test than the feed does. The channel is no longer part
    /// of the feed; who catches up learns why.
    ///
    /// - `isSlow`: Whether the filter takes too long for the feed's thread, so that workers do better to test it from now on.
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
