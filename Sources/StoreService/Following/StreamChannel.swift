import ObjectJSON
import ObjectStore
import Rows
import Threads

/// The followers of the same query with the same selection: changes are found and written once.
///
/// Lives on the feed's thread.
final class StreamChannel: FeedChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    let stream: CheckedStream
    private unowned let hub: StreamHub
    private var subscribers: [StreamSubscriber] = []
    private var polls: [LongPoll] = []

    var query: ObservedQuery { stream.observed }
    /// Whether nobody follows it any more.
    var isEmpty: Bool { subscribers.isEmpty && polls.isEmpty }

    init(_ stream: CheckedStream, hub: StreamHub) {
        self.stream = stream
        self.hub = hub
    }

    func add(_ subscriber: StreamSubscriber) { subscribers.append(subscriber) }
    func add(_ poll: LongPoll) { polls.append(poll) }

    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, before: ReadTransaction,
        after: ReadTransaction
    ) {
        var events = events
        var changedProperties: [ObjectIdentity: MemberSet] = [:]
        if let projection = stream.projection {
            changedProperties = ProjectedComparison(
                projection, stream.names, before: before, after: after, hub.limits
            ).keepChanges(in: &events)
            if events.isEmpty { return }
        }
        if !subscribers.isEmpty {
            var writer = ChangeWriter(stream, after, hub.limits)
            writer.changedProperties = changedProperties
            writer.beginChangeEvent(version: version, movesID: true, hub.events.framing)
            writer.write(events, withVersion: false)
            writer.endChangeEvent(hub.events.framing)
            if writer.isTruncated {
                return fail(.replyTooLarge(hub.limits.queryMemoryByteCountMax))
            }
            let bytes = writer.take()
            var behind: [StreamSubscriber] = []
            subscribers.removeAll { subscriber in
                switch subscriber.sendLive(bytes) {
                case .queued:
                    subscriber.version = version
                    return false
                case .full:
                    // Its client is slow: it gets what it misses, folded, when there is room again.
                    subscriber.phase = .catchUp
                    behind.append(subscriber)
                    return true
                case .closed: return true
                }
            }
            for subscriber in behind { hub.wait(subscriber) }
        }
        if polls.isEmpty { return }
        var writer = ChangeWriter(stream, after, hub.limits)
        writer.changedProperties = changedProperties
        writer.writePage(events, version: version)
        let isWhole = !writer.isTruncated
        let bytes = writer.take()
        for poll in takePolls() {
            if isWhole, events.count <= poll.limit {
                poll.sink.reply(bytes)
            } else {
                // It knows everything up to there.
                hub.answer(poll.moved(to: start))
            }
        }
    }

    /// Ends the streams with an error, and lets the polls learn it for themselves.
    private func fail(_ fault: RequestFault) {
        let left = subscribers
        subscribers = []
        for subscriber in left {
            subscriber.send(hub.events.error(fault))
            subscriber.sink.end()
        }
        for poll in takePolls() { hub.answer(poll) }
    }

    private func takePolls() -> [LongPoll] {
        defer { polls = [] }
        return polls
    }

    func invalidate(_ reason: FeedInvalidation) {
        let left = subscribers
        subscribers = []
        for subscriber in left {
            switch reason {
            case .schemaChange: hub.restart(subscriber, .schemaChanged)
            case .expiry: hub.restart(subscriber, .cursorExpired)
            }
        }
        for poll in takePolls() { hub.answer(poll) }
        hub.forget(self)
    }

    func overrun() {
        fail(.streamTooSlow)
        hub.forget(self)
    }

    func tick(version: UInt64) {
        let now = monotonicMilliseconds()
        let heartbeat = UInt64(hub.events.heartbeatSeconds) * 1000
        var beat: SharedBytes?
        subscribers.removeAll { subscriber in
            if subscriber.sink.isClosed { return true }
            guard now >= subscriber.lastSent + heartbeat else { return false }
            let bytes = beat ?? hub.events.heartbeat(hub.cursor(version))
            beat = bytes
            if case .queued = subscriber.sendLive(bytes) { subscriber.version = version }
            return false
        }
        polls.removeAll { poll in
            guard now >= poll.deadline || poll.sink.isGone else { return false }
            poll.sink.reply(hub.emptyPage(version))
            return true
        }
        if isEmpty { hub.forget(self) }
    }

    /// Ends every stream and answers every poll: the service stops.
    ///
    /// What happened up to `version` has been told, so the polls that are left have nothing to learn.
    func end(version: UInt64) {
        for subscriber in subscribers { subscriber.sink.end() }
        subscribers = []
        for poll in takePolls() { poll.sink.reply(hub.emptyPage(version)) }
    }
}
