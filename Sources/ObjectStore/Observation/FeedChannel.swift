/// One query and those who follow it, as the change feed sees them.
///
/// All calls come from the feed's thread and must not block.
package protocol FeedChannel: AnyObject, Sendable {
    /// The query that the channel's followers share.
    var query: ObservedQuery { get }

    /// Takes the events of one step, which goes from the version `start`, seen by `before`, to
    /// `version`, seen by `after`; there is at least one.
    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, before: ReadTransaction,
        after: ReadTransaction)

    /// Learns that the feed can't go on: the query has to be made anew. The channel is no longer part of
    /// the feed.
    func breaksOff(_ reason: FeedBreak)

    /// Learns that it takes too long to find out what a step means to the query, so that its followers
    /// were not told. The channel is no longer part of the feed.
    func fellBehind()

    /// Comes now and then, for heartbeats and for those who fell behind.
    func tick(version: UInt64)
}

/// Why a feed can't tell a query's changes.
package enum FeedBreak: Sendable {
    /// The schema has changed.
    case schemaChange
    /// The change log was trimmed past what was told.
    case expiry
}
