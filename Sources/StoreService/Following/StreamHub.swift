import ObjectJSON
import ObjectStore
import Synchronization

/// Catches streams of events up, then delivers new changes to them.
///
/// A stream that has something to catch up with is fed on a worker's thread, as fast as its client
/// reads; once it is near the present it joins a channel on the feed's thread. Thread-safe.
package final class StreamHub: @unchecked Sendable {
    // Unchecked: `channels` and `waiting` are touched on the feed's thread alone; `feed` is set once,
    // before the hub is used.

    private let served: ServedStore
    /// How its streams are written.
    let events: StreamEvents
    /// Those who follow outboxes, told by the same feed.
    package let outboxes: OutboxHub
    private var feed: ChangeFeed?
    private var channels: [StreamDefinition: StreamChannel] = [:]
    /// Streams whose clients have to read first.
    private var waiting: [StreamSubscriber] = []
    private let isStopping = Atomic<Bool>(false)
    /// What streams that are behind are told.
    private let catchUp: StreamCatchUp

    /// Versions between a poll's cursor and the present that are looked at on the feed's thread.
    private static let pollVersionCountMax: UInt64 = 1_000

    var limits: ServiceLimits { served.limits }

    /// A reply to a poll in vain.
    func emptyPage(_ version: UInt64) -> SharedBytes { served.emptyChangePage(version) }

    /// Makes a hub, which follows nothing yet.
    package init(_ served: ServedStore, _ events: StreamEvents) {
        self.served = served
        self.events = events
        catchUp = StreamCatchUp(served: served, events: events)
        outboxes = OutboxHub(served, events)
        outboxes.join(self)
    }

    /// Starts following the store.
    package func start() {
        feed = ChangeFeed(
            store: served.store,
            onTick: { [weak self] feed in self?.tick(feed) },
            logFailure: { [served] error in _ = served.fault(error) })
    }

    /// The cursor behind a version.
    func cursor(_ number: UInt64) -> String {
        StoreVersion(epoch: served.store.epoch, number: number).description
    }

    /// Ends all streams and polls and stops following. Call it once, before the scheduler is stopped.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        feed?.perform { position in
            for channel in self.channels.values { channel.end(version: position.version) }
            self.channels = [:]
            for subscriber in self.waiting { subscriber.sink.end() }
            self.waiting = []
            self.outboxes.end()
        }
        feed?.stop()
    }

    /// Runs `body` on the feed's thread, or `orElse` when the feed has stopped, or stops.
    func perform(
        _ body: @escaping @Sendable (ChangeFeed.Position) -> Void,
        orElse: @escaping @Sendable () -> Void
    ) {
        let isTaken = feed?.perform { position in
            if self.isStopping.load(ordering: .acquiring) { return orElse() }
            body(position)
        }
        if isTaken != true { orElse() }
    }

    /// Removes a channel from the feed. On the feed's thread.
    func remove(_ channel: any FeedChannel) { feed?.remove(channel) }

    /// Has ticks come more often, or as usual again.
    func setCatchingUp(_ isCatchingUp: Bool) { feed?.setCatchingUp(isCatchingUp) }

    // MARK: Joining

    /// Begins to serve a stream.
    package func open(_ subscriber: StreamSubscriber, from start: StreamCursor) {
        onFeed(subscriber) { position in
            func hello(_ number: UInt64, withID: Bool = false) {
                subscriber.send(self.events.hello(self.cursor(number), movesID: withID))
            }
            if let version = start.version, version.epoch != self.served.store.epoch {
                hello(0)
                return self.restart(subscriber, .restored)
            }
            switch start {
            case .now:
                hello(position.version, withID: true)
                subscriber.version = position.version
                self.goLive(subscriber, position)
            case .start, .snapshot:
                hello(0)
                subscriber.restart(subscriber.query)
                self.feedLater(subscriber)
            case .after(let version), .within(let version, _):
                hello(version.number)
                subscriber.version = version.number
                subscriber.phase = .catchUp
                self.feedLater(subscriber)
            }
        }
    }

    /// Hands a stream over to the feed's thread; when the feed has stopped, or stops, the stream ends.
    private func onFeed(
        _ subscriber: StreamSubscriber, _ body: @escaping @Sendable (ChangeFeed.Position) -> Void
    ) {
        perform(body) { subscriber.sink.end() }
    }

    /// Makes a stream part of the channel of its query. On the feed's thread.
    private func goLive(_ subscriber: StreamSubscriber, _ position: ChangeFeed.Position) {
        guard position.transaction.rows === subscriber.query.names.schema else {
            return restart(subscriber, .schemaChanged)
        }
        subscriber.phase = .live
        channel(subscriber.query, position).add(subscriber)
    }

    private func channel(_ query: CheckedStream, _ position: ChangeFeed.Position) -> StreamChannel {
        if let present = channels[query.definition], present.stream.names === query.names {
            return present
        }
        let fresh = StreamChannel(query, hub: self)
        if let old = channels.updateValue(fresh, forKey: query.definition) {
            position.feed.remove(old)
        }
        position.feed.add(fresh)
        return fresh
    }

    /// Drops a channel without followers. On the feed's thread.
    func forget(_ channel: StreamChannel) {
        if channels[channel.stream.definition] === channel {
            channels[channel.stream.definition] = nil
        }
        feed?.remove(channel)
    }

    /// Checks a stream's query against the present schema and begins again; a query that is not valid
    /// any more ends the stream with an error.
    func restart(_ subscriber: StreamSubscriber, _ reason: ResetReason) {
        let names = served.names(of: served.store.catalog.rows)
        do throws(RequestFault) {
            subscriber.restart(try subscriber.query.definition.checked(names))
        } catch {
            subscriber.send(events.error(error))
            return subscriber.sink.end()
        }
        subscriber.send(events.reset(reason))
        feedLater(subscriber)
    }

    /// Keeps a stream until its client has read. On the feed's thread.
    func wait(_ subscriber: StreamSubscriber) {
        if isStopping.load(ordering: .acquiring) { return subscriber.sink.end() }
        waiting.append(subscriber)
        feed?.setCatchingUp(true)
    }

    private func tick(_ feed: ChangeFeed) {
        let hasWaitingOutbox = outboxes.tick()
        if waiting.isEmpty {
            if !hasWaitingOutbox { feed.setCatchingUp(false) }
            return
        }
        var ready: [StreamSubscriber] = []
        waiting.removeAll { subscriber in
            if subscriber.sink.isClosed { return true }
            guard subscriber.isReady else { return false }
            ready.append(subscriber)
            return true
        }
        for subscriber in ready { feedLater(subscriber) }
        if waiting.isEmpty, !hasWaitingOutbox { feed.setCatchingUp(false) }
    }

    // MARK: Catching up, on the scheduler's threads

    private func feedLater(_ subscriber: StreamSubscriber) {
        let stream = subscriber.sink
        let isTaken = served.scheduler.submit(
            Job(
                subscriber.clientKey, until: served.queryDeadline,
                isAwaited: { !stream.isClosed }
            ) { self.takeTurn(subscriber, $0) })
        if !isTaken { onFeed(subscriber) { _ in self.wait(subscriber) } }
    }

    /// Feeds a stream until its queue is half full, it is near the present, or it is others' turn.
    private func takeTurn(_ subscriber: StreamSubscriber, _ job: Job) {
        // It has waited too long for its turn, which is no fault of its query.
        if job.isOverdue { return feedLater(subscriber) }
        repeat {
            if subscriber.sink.isClosed { return }
            if isStopping.load(ordering: .acquiring) { return subscriber.sink.end() }
            guard subscriber.flush(), subscriber.hasRoom else {
                return onFeed(subscriber) { _ in self.wait(subscriber) }
            }
            do throws(RequestFault) {
                let isNear = try served.withRead(in: job) { read throws(RequestFault) in
                    try catchUp.step(subscriber, read)
                }
                if isNear {
                    return onFeed(subscriber) { position in self.arrive(subscriber, position) }
                }
            } catch {
                // What the step has found is not told, so that it can be made again.
                if job.isRestarted { return }
                if job.mustNotAnswer { return subscriber.sink.end() }
                subscriber.send(events.error(error))
                return subscriber.sink.end()
            }
        } while job.isInFirstSlice
        feedLater(subscriber)
    }

    // MARK: Arriving, on the feed's thread

    /// Delivers the last missed changes to a stream and makes it live.
    private func arrive(_ subscriber: StreamSubscriber, _ position: ChangeFeed.Position) {
        guard position.transaction.rows === subscriber.query.names.schema else {
            return restart(subscriber, .schemaChanged)
        }
        if subscriber.version < position.version {
            do throws(RequestFault) {
                let deadline = ChangeFeed.stepDeadline
                // Many changes are delivered by a worker.
                guard
                    let missed = try catchUp.missed(
                        subscriber, position.transaction, until: deadline),
                    missed.through == position.version,
                    missed.candidates.count <= StreamCatchUp.pieceObjectCount
                else { return feedLater(subscriber) }
                try catchUp.sendPiece(
                    of: missed, subscriber, position.transaction, until: deadline)
                guard case .catchUp = subscriber.phase else { return wait(subscriber) }
            } catch {
                subscriber.send(events.error(error))
                return subscriber.sink.end()
            }
        }
        // Live events go past what is left to send, so nothing may be.
        guard subscriber.flush(), subscriber.hasRoom else { return wait(subscriber) }
        subscriber.send(events.upToDate(cursor(subscriber.version)))
        goLive(subscriber, position)
    }

    // MARK: Long polls

    /// Answers a request at once if something has happened since its cursor; else has it wait for the
    /// first change that concerns its query.
    package func open(_ poll: LongPoll) {
        schedule(poll) { job in
            var moved: LongPoll?
            self.served.answer(poll.sink, in: job) { () throws(RequestFault) in
                let page = try self.page(of: poll, in: job)
                if page.isEmpty { moved = poll.moved(to: page.version) }
                return page.isEmpty ? nil : page.bytes
            }
            if let moved, !job.mustNotAnswer { self.add(moved) }
        }
    }

    /// Has a job look what there is for a poll. Its time begins now: the poll may have waited long.
    private func schedule(_ poll: LongPoll, _ body: @escaping @Sendable (Job) -> Void) {
        let isTaken = served.scheduler.submit(
            Job(
                poll.clientKey, until: served.queryDeadline, isAwaited: { !poll.sink.isGone }, body)
        )
        if !isTaken { poll.sink.fail(.tooBusy) }
    }

    private func page(of poll: LongPoll, in job: Job) throws(RequestFault) -> ChangePage {
        try served.withRead(in: job) { read throws(RequestFault) in
            try served.changePage(
                poll.query, after: poll.version, nil, limit: poll.limit, in: read)
        }
    }

    private func add(_ poll: LongPoll) {
        perform { position in
            guard position.transaction.rows === poll.query.names.schema else {
                return self.answer(poll)
            }
            if position.version > poll.version {
                // What was committed meanwhile is looked at here, unless it is much.
                if position.version - poll.version > Self.pollVersionCountMax {
                    return self.open(poll)
                }
                if self.concerns(poll, position) { return self.answer(poll) }
            }
            self.channel(poll.query, position).add(poll.moved(to: position.version))
        } orElse: {
            self.answer(poll)
        }
    }

    /// Whether something that concerns a poll's query has happened since its cursor. On the feed's thread.
    private func concerns(_ poll: LongPoll, _ position: ChangeFeed.Position) -> Bool {
        guard
            let changes = try? FoldedChanges(
                after: poll.version, in: position.transaction, classes: poll.query.observed.classes),
            !changes.changesSchema
        else { return true }
        let observed = poll.query.observed
        position.transaction.limitFollowing(until: ChangeFeed.stepDeadline)
        let matcher = observed.matcher(in: position.transaction)
        defer { position.transaction.limitFollowing(until: .max) }
        let hasEvent = observed.candidates(changes, in: position.transaction).contains {
            observed.event(of: $0, in: position.transaction, matcher) != nil
        }
        return hasEvent || position.transaction.isLate
    }

    /// Answers a poll with what there is now.
    func answer(_ poll: LongPoll) {
        schedule(poll) { job in
            self.served.answer(poll.sink, in: job) { () throws(RequestFault) in
                try self.page(of: poll, in: job).bytes
            }
        }
    }
}
