import ObjectJSON
import ObjectStore

/// Delivers new objects to the followers of outboxes.
///
/// A follower is fed on a worker's thread until it has everything, as fast as its client reads; then it
/// joins the channel of its class on the feed's thread. Thread-safe.
package final class OutboxHub: @unchecked Sendable {
    // Unchecked: `channels` is touched on the feed's thread alone; `streams` is set once,
    // before the hub is used.

    /// Gone once the service stops; jobs may still run then.
    private weak var streams: StreamHub?
    private let served: ServedStore
    let events: StreamEvents
    private var channels: [String: OutboxChannel] = [:]

    init(_ served: ServedStore, _ events: StreamEvents) {
        self.served = served
        self.events = events
    }

    /// Learns whose feed it shares; the other owns it.
    func join(_ streams: StreamHub) { self.streams = streams }

    // MARK: Joining

    /// Begins to send an outbox to a stream.
    ///
    /// - Throws: ``RequestFault`` for an unknown class, or a position that does not fit.
    package func follow(
        _ request: OutboxRequest, as clientKey: ClientKey, _ stream: any StreamSink
    ) throws(RequestFault) {
        let (cursor, isRestored) = try served.outboxStart(request, restarts: true)
        _ = stream.send(events.hello(cursor.description))
        if isRestored { _ = stream.send(events.reset(.restored)) }
        feed(
            OutboxFollower(.stream(stream), clientKey, request, behind: cursor))
    }

    /// Answers with a page as soon as there is anything, and with an empty one when nothing comes.
    ///
    /// - `deadline`: When it is answered without any, in milliseconds of the monotonic clock.
    package func poll(
        _ request: OutboxRequest, as clientKey: ClientKey, until deadline: UInt64,
        _ sink: any ReplySink
    ) {
        do throws(RequestFault) {
            let (cursor, _) = try served.outboxStart(request, restarts: false)
            feed(
                OutboxFollower(
                    .poll(sink, deadline: deadline), clientKey, request, behind: cursor))
        } catch {
            sink.fail(error)
        }
    }

    // MARK: On the scheduler's threads

    /// Has a job feed a follower. Any thread.
    func feed(_ follower: OutboxFollower) {
        let isTaken = served.scheduler.submit(
            Job(follower.clientKey) { self.takeTurn(follower, $0) })
        if isTaken { return }
        switch follower.client {
        case .stream: onFeed(follower) { _ in self.streams?.retry { self.feed(follower) } }
        case .poll: follower.fail(.tooBusy, events)
        }
    }

    private func takeTurn(_ follower: OutboxFollower, _ job: Job) {
        repeat {
            if follower.isGone {
                if case .poll(let sink, _) = follower.client { sink.abandon() }
                return
            }
            guard follower.hasRoom else { return wait(follower) }
            do throws(RequestFault) {
                let page = try page(for: follower)
                if page.count == 0 {
                    return onFeed(follower) { self.join(follower, $0) }
                }
                if case .poll(let sink, _) = follower.client {
                    sink.reply(page.bytes)
                    return
                }
                guard follower.send(page.bytes, through: page.through) else {
                    return wait(follower, for: page.bytes.count)
                }
            } catch {
                return follower.fail(error, events)
            }
        } while job.isInFirstSlice
        feed(follower)
    }

    /// What comes next for a follower.
    private func page(for follower: OutboxFollower) throws(RequestFault) -> OutboxPage {
        let read = try served.stored(served.store.read())
        defer { read.close() }
        let rowClass = try read.rows.asymmetricClass(named: follower.request.className)
        if follower.cursor.classNumber != rowClass.number {
            // Another class took the place of the one that was followed.
            follower.cursor = served.beginning(of: rowClass)
        }
        var framing: (any EventFraming)?
        if case .stream = follower.client { framing = events.framing }
        return try OutboxPage(
            rowClass, behind: follower.cursor, in: read, served, follower.request, framing)
    }

    // MARK: On the feed's thread

    /// Hands a follower over to the feed's thread; when the feed has stopped, or stops, it ends.
    private func onFeed(
        _ follower: OutboxFollower, _ body: @escaping @Sendable (ChangeFeed.Position) -> Void
    ) {
        guard let streams else { return follower.end() }
        streams.perform(body) { follower.end() }
    }

    /// Lets a follower wait for what comes, unless something has come meanwhile.
    private func join(_ follower: OutboxFollower, _ position: ChangeFeed.Position) {
        let rows = position.transaction.rows
        guard let rowClass = rows.rowClass(named: follower.request.className),
            rowClass.isAsymmetric,
            rowClass.number == follower.cursor.classNumber
        else { return feed(follower) }
        var hasMore = false
        do throws(StoreError) {
            try position.transaction.scan(rowClass, after: follower.cursor.key, expecting: 1) {
                _, _ in
                hasMore = true
                return false
            }
        } catch {
            return follower.fail(served.fault(error), events)
        }
        if hasMore { return feed(follower) }
        if let present = channels[follower.request.className] { return present.add(follower) }
        let channel = OutboxChannel(rowClass, rows, hub: self)
        channel.add(follower)
        channels[follower.request.className] = channel
        position.feed.add(channel)
    }

    /// Drops a channel without followers.
    func forget(_ channel: OutboxChannel) {
        guard channels[channel.className] === channel else { return }
        channels[channel.className] = nil
        streams?.remove(channel)
    }

    /// Has a stream fed once its client has read enough for what comes next. Any thread.
    private func wait(_ follower: OutboxFollower, for byteCount: Int = 0) {
        follower.whenReady(for: byteCount) { [weak self] in
            if !follower.isGone { self?.feed(follower) }
        }
    }

    /// Looks after those that wait.
    func tick(_ version: UInt64) {
        for channel in Array(channels.values) { channel.tick(version: version) }
    }

    /// Ends everything: the service stops.
    func end() {
        for channel in channels.values { channel.end() }
        channels = [:]
    }
}
