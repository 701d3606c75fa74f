import HoldfastObjectJSON
import HoldfastObjectStore

/// Outboxes: their followers are told of objects by position, and of nothing twice.
extension StreamHub {
    /// Begins to send an outbox to a stream.
    ///
    /// - Throws: ``RequestFault`` for an unknown class, or a position that does not fit.
    package func follow(
        _ request: OutboxRequest, _ sink: any StreamSink
    ) throws(RequestFault) {
        let (query, cursor, reset) = try served.outboxStart(request, restarts: true)
        let follower = Follower(.events(sink), query, request.caller, after: 0)
        follower.outboxCursor = cursor
        keepAlive(follower)
        follower.send(events.hello(cursor.description))
        if let reset { follower.send(events.reset(reset)) }
        feedLater(follower)
    }

    /// Answers with a page as soon as there is anything, and with an empty one when nothing comes.
    ///
    /// - `deadline`: When it is answered without any, in milliseconds of the monotonic clock.
    package func poll(
        _ request: OutboxRequest, until deadline: UInt64, _ sink: any ReplySink
    ) {
        do throws(RequestFault) {
            let (query, cursor, _) = try served.outboxStart(request, restarts: false)
            let follower = Follower(
                .reply(sink, limit: request.limit, deadline: deadline), query, request.caller,
                after: 0)
            follower.outboxCursor = cursor
            feedLater(follower)
        } catch {
            sink.fail(error)
        }
    }

    /// Has a worker find out whether objects before a follower's position have come into sight, as by a change of what a rule reads of others, which
    /// no step tells: nothing leads from these to the objects of an outbox. On the feed's thread.
    func lookBehind(_ follower: Follower) {
        let query = follower.query.observed
        guard let index = query.classIndex, query.sight?.mayChange(ofClass: index) ?? false else {
            return
        }
        for follower in unlist([follower]) { feedLater(follower) }
    }

    /// Whether objects stand behind a follower's position. On the feed's thread.
    func hasMore(
        _ follower: Follower, behind cursor: OutboxCursor, _ position: ChangeFeed.Position
    ) throws(RequestFault) -> Bool {
        let read = position.transaction.shown(by: follower.query.observed.sight)
        let rowClass = try read.rows.asymmetricClass(named: follower.query.className)
        if rowClass.number != cursor.classNumber { return true }
        var hasMore = false
        try served.stored(
            read.scan(rowClass, after: cursor.key, expecting: 1) { _, _ in
                hasMore = true
                return false
            })
        return hasMore
    }
}
