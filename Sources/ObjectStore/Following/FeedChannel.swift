/// One query and its followers, as the change feed sees them.
///
/// All calls come from the feed's thread and must not block.
package protocol FeedChannel: AnyObject, Sendable {
    /// The query that the channel's followers share.
    var query: ObservedQuery { get }

    /// Whether it asks what was done to lists.
    var readsLists: Bool { get }

    /// Takes the events of one step, which goes from the version `start` to `version`; there is at least one.
    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep)

    /// Learns that the feed can't tell what comes after the last step: the schema has changed, the change log was
    /// trimmed, or a state could not be read. The channel is no longer part of the feed; who catches up learns why.
    func invalidate()

    /// Learns that evaluating a step for the query takes too long, so that its followers
    /// miss events. The channel is no longer part of the feed.
    func overrun()
}

extension FeedChannel {
    package var readsLists: Bool { false }
}
