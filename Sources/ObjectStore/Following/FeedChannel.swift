/// One query and its followers, as the change feed sees them.
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

    /// Learns that the feed is invalidated: the query has to be made again. The channel is no longer part of
    /// the feed.
    func invalidate(_ reason: FeedInvalidation)

    /// Learns that evaluating a step for the query takes too long, so that its followers
    /// miss events. The channel is no longer part of the feed.
    func overrun()

    /// Called at intervals, for heartbeats and for followers whose queue overran.
    func tick(version: UInt64)
}

/// Why a feed can no longer deliver a query's changes.
package enum FeedInvalidation: Sendable {
    /// The schema has changed.
    case schemaChange
    /// The change log was trimmed past the last delivered version.
    case expiry
}
