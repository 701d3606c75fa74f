/// One query and those who follow it, as the change feed sees them.
///
/// All calls come from the feed's thread and must not block.
package protocol FeedChannel: AnyObject, Sendable {
    /// The query that the channel's followers share.
    var query: ObservedQuery { get }

    /// Takes the events of one step, which goes from `before` to `after`; there is at least one.
    func publish(
        _ events: [QueryEvent], version: UInt64, before: ReadTransaction, after: ReadTransaction)

    /// Learns that the schema has changed: the query has to be made anew. The channel is no longer part
    /// of the feed.
    func schemaChanged(version: UInt64)

    /// Learns that the change log was trimmed past what the channel was told: its followers have to begin
    /// anew. The channel is no longer part of the feed.
    func logTrimmed(version: UInt64)

    /// Learns that it takes too long to find out what a step means to the query, so that its followers
    /// were not told. The channel is no longer part of the feed.
    func fellBehind()

    /// Comes now and then, for heartbeats and for those who fell behind.
    func tick(version: UInt64)
}
