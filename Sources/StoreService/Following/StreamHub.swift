import ObjectJSON
import ObjectStore
import Synchronization
import Threads

/// Catches streams of events up, then delivers new changes to them.
///
/// A stream that has something to catch up with is fed on a worker's thread, as fast as its client
/// reads; once it is near the present it joins a channel on the feed's thread. Thread-safe.
package final class StreamHub: @unchecked Sendable {
    // Unchecked: what varies is touched on the feed's thread alone; `feed` is set once,
    // before the hub is used.

    let served: ServedStore
    /// How its streams are written.
    let events: StreamEvents
    /// Those who follow outboxes, told by the same feed.
    package let outboxes: OutboxHub
    /// Figures of its streams.
    package let meter = StreamMeter()
    private var feed: ChangeFeed?
    /// The channels of live streams. The feed's thread alone.
    var channels: [StreamChannel.Key: StreamChannel] = [:]
    /// The clients of several queries, by the ids of their streams. The feed's thread alone.
    var groups: [String: StreamGroup] = [:]
    /// Those of them that steps concern which they have not been told of. The feed's thread alone.
    var groupsInStep: [StreamGroup] = []
    /// The streams of several queries.
    package let queryStreams: QueryStreams
    /// What is due at some time. The feed's thread alone.
    var timers = TimerWheel<Timer>(slotMilliseconds: 250, now: monotonicMilliseconds())
    /// Whether timers are served again before the next tick, since more were due. The feed's thread alone.
    var servesTimersSoon = false
    /// Streams that nobody looks after yet. Any thread.
    let begun = Mutex<[StreamSubscriber]>([])
    private let isStopping = Atomic<Bool>(false)
    /// What streams that are behind are told.
    let catchUp: StreamCatchUp

    /// Filters that workers test, each with the time until which they do, in milliseconds of the monotonic clock. The
    /// feed's thread alone.
    private var untested: [ObservedFilter.Key: UInt64] = [:]

    /// How long workers test a filter that has taken the feed too long, in milliseconds.
    private static let untestedMilliseconds: UInt64 = 30_000
    /// The arrival behind which that is so.
    private static let lateArrivalCountMax = 3

    var limits: ServiceLimits { served.limits }

    /// What all streams hold together.
    var budget: StreamBudget { catchUp.budget }

    /// A reply to a poll in vain.
    func emptyPage(_ version: UInt64) -> SharedBytes { served.emptyChangePage(version) }

    /// What a client is told of an error of the store.
    func fault(_ error: StoreError) -> RequestFault { served.fault(error) }

    /// Makes a hub, which follows nothing yet.
    package init(_ served: ServedStore, _ events: StreamEvents) {
        self.served = served
        self.events = events
        catchUp = StreamCatchUp(served: served, events: events)
        outboxes = OutboxHub(served, events)
        queryStreams = QueryStreams(served.limits)
        outboxes.join(self)
    }

    /// Starts following the store.
    package func start() {
        feed = ChangeFeed(
            store: served.store, filterMilliseconds: served.limits.feedFilterMilliseconds,
            onStep: { [weak self] version in self?.endStep(to: version) },
            onTick: { [weak self] version in self?.tick(version) },
            logFailure: { [served] error in _ = served.fault(error) })
    }

    /// How the streams keep up with the commits.
    package var feedFigures: FeedFigures? { feed?.figures }

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
            for group in self.groups.values { group.sink.end() }
            self.groups = [:]
            _ = self.timers.takeAll()
            self.outboxes.end()
        }
        feed?.stop()
    }

    /// Runs `body` on the feed's thread, or `orElse` when the feed has stopped, or stops.
    func perform(
        _ body: @escaping @Sendable (ChangeFeed.Position) -> Void,
        orElse: @escaping @Sendable () -> Void
    ) {
        let isTaken = feed?.perform(
            { position in
                if self.isStopping.load(ordering: .acquiring) { return orElse() }
                body(position)
            }, orElse: orElse)
        if isTaken != true { orElse() }
    }

    /// Removes a channel from the feed. On the feed's thread.
    func remove(_ channel: any FeedChannel) { feed?.remove(channel) }

    /// Whether a channel has not been replaced.
    func isInUse(_ channel: StreamChannel) -> Bool { channels[channel.key] === channel }

    /// Runs `body` on the feed's thread at a time, in milliseconds of the monotonic clock.
    func perform(at due: UInt64, _ body: @escaping @Sendable (ChangeFeed.Position) -> Void) {
        feed?.perform(at: due, body)
    }

    // MARK: Joining

    /// Begins to serve a stream. Any thread.
    ///
    /// - `begin`: Has the client learn that its stream begins, once everything is told that is written from then on.
    package func open(
        _ subscriber: StreamSubscriber, from start: StreamCursor,
        begin: @escaping @Sendable () -> Void
    ) {
        subscriber.query.observed.prepare()
        let present = served.store.publisher.version
        if case .now = start, subscriber.query.result == nil {
            perform { position in
                self.keepAlive(subscriber)
                subscriber.send(self.events.hello(self.cursor(position.version), movesID: true))
                subscriber.version = position.version
                subscriber.needsUpToDate = false
                self.arrive(subscriber, position)
                begin()
            } orElse: {
                subscriber.sink.end()
                begin()
            }
            return
        }
        begin()
        keepAlive(subscriber)
        subscriber.send(events.hello(start.eventCursor))
        resume(subscriber, start, present: present)
    }

    /// Has a stream begin behind what its client knows.
    ///
    /// - `present`: A version that was the newest one after the client had asked.
    func resume(_ subscriber: StreamSubscriber, _ start: StreamCursor, present: UInt64) {
        switch start {
        case .now, .start, .snapshot: restart(subscriber, .start)
        case .after(let version), .within(let version, _):
            guard version.epoch == served.store.epoch, version.number <= present else {
                return restart(subscriber, .restored)
            }
            subscriber.version = version.number
            feedLater(subscriber, nil)
        }
    }

    /// Has a stream begin again with a snapshot.
    func restart(_ subscriber: StreamSubscriber, _ reason: ResetReason) {
        if subscriber.query.result == nil { _ = catchUp.reset(subscriber, reason) }
        feedLater(subscriber, reason)
    }

    /// Hands a stream over to the feed's thread; when the feed has stopped, or stops, the stream ends.
    func onFeed(
        _ subscriber: StreamSubscriber, _ body: @escaping @Sendable (ChangeFeed.Position) -> Void
    ) {
        perform(body) { subscriber.sink.end() }
    }

    /// Has channels let go of streams. On the feed's thread.
    func unlist(_ subscribers: [StreamSubscriber]) {
        var left: [ObjectIdentifier: StreamChannel] = [:]
        for subscriber in subscribers {
            guard let channel = subscriber.channel else { continue }
            subscriber.channel = nil
            left[ObjectIdentifier(channel)] = channel
        }
        for channel in left.values { channel.removeGone() }
    }

    /// Has workers test a stream's filter for some time. On the feed's thread.
    func leaveToWorkers(_ stream: CheckedStream) {
        let now = monotonicMilliseconds()
        untested = untested.filter { $0.value > now }
        untested[stream.observed.filterKey] = now + Self.untestedMilliseconds
    }

    /// Whether workers test a filter. On the feed's thread.
    func isUntested(_ query: ObservedQuery) -> Bool {
        query.isWide
            || untested[query.filterKey].map { $0 > monotonicMilliseconds() } ?? false
    }

    func channel(_ query: CheckedStream, _ position: ChangeFeed.Position) -> StreamChannel {
        let isUntested = isUntested(query.observed)
        let key = query.channelKey(isUntested: isUntested)
        if let present = channels[key] {
            if present.stream.names.schema === query.names.schema { return present }
            present.invalidate()
        }
        let fresh: StreamChannel
        if query.result != nil {
            fresh = ResultChannel(query, isUntested: isUntested, hub: self)
        } else if let property = query.property {
            fresh = PropertyChannel(query, of: property, isUntested: isUntested, hub: self)
        } else if query.definition.intervalMilliseconds > 0 {
            fresh = PacedChannel(query, isUntested: isUntested, hub: self)
        } else {
            fresh = StreamChannel(query, isUntested: isUntested, hub: self)
        }
        channels[key] = fresh
        position.feed.add(fresh)
        return fresh
    }

    /// Drops a channel without followers. On the feed's thread.
    func forget(_ channel: StreamChannel) {
        if channels[channel.key] === channel { channels[channel.key] = nil }
        feed?.remove(channel)
    }

    // MARK: Catching up, on the scheduler's threads

    /// Has a live stream go on with what it misses, folded, once its client has read. On the feed's thread.
    ///
    /// - `isToldInPart`: Whether it has been told a part of the event that comes next.
    func fallBack(_ subscriber: StreamSubscriber, isToldInPart: Bool = false) {
        subscriber.fallBack(isToldInPart: isToldInPart)
        wait(subscriber)
    }

    /// Goes on once the client has read.
    func wait(_ subscriber: StreamSubscriber) {
        if isStopping.load(ordering: .acquiring) { return subscriber.sink.end() }
        subscriber.whenReady(isScarce: catchUp.isTight) { [weak self] in
            // A client that has gone needs no more.
            if !subscriber.sink.isClosed { self?.feedLater(subscriber) }
        }
    }

    /// - `reason`: Why a result that its client knows is void; nil for one that it knows at its version.
    private func feedLater(_ subscriber: StreamSubscriber, _ reason: ResetReason? = .fellBehind) {
        if subscriber.query.result != nil {
            return onFeed(subscriber) { self.join(subscriber, $0, reason) }
        }
        let stream = subscriber.sink
        let isTaken = served.scheduler.submit(
            Job(
                subscriber.clientKey, until: served.queryDeadline,
                isAwaited: { !stream.isClosed }
            ) { self.takeTurn(subscriber, $0) })
        if isTaken { return }
        onFeed(subscriber) { _ in self.retry { self.feedLater(subscriber) } }
    }

    /// Feeds a stream until its queue is half full, it is near the present, or it is others' turn.
    private func takeTurn(_ subscriber: StreamSubscriber, _ job: Job) {
        // It has waited too long for its turn, which is no fault of its query.
        if job.isOverdue { return feedLater(subscriber) }
        repeat {
            if subscriber.sink.isClosed { return }
            if isStopping.load(ordering: .acquiring) { return subscriber.sink.end() }
            guard subscriber.flush(), catchUp.hasRoom(subscriber) else { return wait(subscriber) }
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
                return subscriber.sink.end(sending: events.error(error, of: subscriber.query))
            }
        } while job.isInFirstSlice
        feedLater(subscriber)
    }

    // MARK: Arriving, on the feed's thread

    /// Delivers the last missed changes to a stream and makes it live.
    func arrive(_ subscriber: StreamSubscriber, _ position: ChangeFeed.Position) {
        // Nobody looks after one that has gone.
        if subscriber.sink.isClosed { return }
        guard position.transaction.rows === subscriber.query.names.schema else {
            return feedLater(subscriber)
        }
        do throws(RequestFault) {
            let isTold = try position.briefly { () throws(RequestFault) in
                try deliverRest(to: subscriber, position)
            }
            guard isTold else { return }
        } catch {
            // A worker has more time than the feed.
            subscriber.lateArrivalCount += 1
            if subscriber.lateArrivalCount >= Self.lateArrivalCountMax {
                leaveToWorkers(subscriber.query)
            }
            if case .missed = subscriber.phase { subscriber.phase = .catchUp }
            return feedLater(subscriber)
        }
        // Live events go past what is left to send, so nothing may be.
        guard subscriber.flush(), subscriber.hasRoom else { return wait(subscriber) }
        if subscriber.needsUpToDate {
            tellUpToDate(subscriber, position.version)
            subscriber.needsUpToDate = false
        }
        let channel = channel(subscriber.query, position)
        channel.settle(position.transaction, position.version)
        goLive(subscriber, in: channel)
    }

    /// Tells a stream's client that it knows everything up to the stream's version.
    ///
    /// - `present`: The version of the feed.
    func tellUpToDate(_ subscriber: StreamSubscriber, _ present: UInt64) {
        let version = subscriber.version
        let isID = subscriber.sink.movesID(to: version, at: present)
        subscriber.send(events.upToDate(isID ? cursor(version) : nil, of: subscriber.query))
    }

    /// Has a stream told of each step by a channel.
    func goLive(_ subscriber: StreamSubscriber, in channel: StreamChannel) {
        subscriber.phase = .live
        subscriber.lateArrivalCount = 0
        subscriber.lastSent = monotonicMilliseconds()
        // Equal queries are held once.
        subscriber.query = channel.stream
        channel.add(subscriber)
        sendRest(to: subscriber)
    }

    /// Delivers what a stream has missed up to the feed's position, or has a worker do so where it is much.
    ///
    /// - Returns: Whether all of it was delivered.
    private func deliverRest(
        to subscriber: StreamSubscriber, _ position: ChangeFeed.Position
    ) throws(RequestFault) -> Bool {
        if subscriber.version >= position.version { return true }
        // Many changes are delivered by a worker, but not for ever: each time the bound is twice as high.
        let countMax = StreamCatchUp.pieceObjectCount << min(10, subscriber.lateArrivalCount)
        if let property = subscriber.query.property {
            let isTold = try catchUp.tellMissed(
                subscriber, property, position.transaction, countMax: countMax)
            if !isTold { feedLater(subscriber) }
            return isTold
        }
        if isUntested(subscriber.query.observed) {
            return skipOthers(subscriber, position)
        }
        let deadline = UInt64.max
        guard
            let missed = try catchUp.missed(
                subscriber, position.transaction, countMax: countMax, until: deadline),
            missed.through == position.version
        else {
            subscriber.lateArrivalCount += 1
            feedLater(subscriber)
            return false
        }
        subscriber.phase = .missed(missed)
        while case .missed(let rest) = subscriber.phase {
            guard catchUp.hasRoom(subscriber) else {
                wait(subscriber)
                return false
            }
            try catchUp.sendPiece(of: rest, subscriber, position.transaction, until: deadline)
        }
        return true
    }

    /// Takes a stream whose filter workers test to the present, if nothing concerns it; else tells it how far it has come
    /// and has a worker go on.
    ///
    /// - Returns: Whether it is at the present.
    private func skipOthers(
        _ subscriber: StreamSubscriber, _ position: ChangeFeed.Position
    ) -> Bool {
        if isUnconcerned(subscriber.query, since: subscriber.version, position) {
            subscriber.version = position.version
            return true
        }
        if subscriber.needsUpToDate, subscriber.flush(), subscriber.hasRoom {
            tellUpToDate(subscriber, position.version)
            subscriber.needsUpToDate = false
        }
        retry { self.feedLater(subscriber) }
        return false
    }

    /// Whether no object has changed since a version of the classes that a query reads. On the feed's thread.
    func isUnconcerned(
        _ query: CheckedStream, since version: UInt64, _ position: ChangeFeed.Position
    ) -> Bool {
        let changes = try? FoldedChanges(
            after: version, in: position.transaction, objectCountMax: 1,
            recordCountMax: StreamCatchUp.pieceObjectCount, classes: query.observed.classes)
        return changes.map { $0.isEmpty && $0.through == position.version } ?? false
    }

    /// Sends what is left as the client reads.
    private func sendRest(to subscriber: StreamSubscriber) {
        guard case .live = subscriber.phase, !subscriber.flush() else { return }
        subscriber.whenReady(isScarce: catchUp.isTight) { [weak self] in
            guard let self else { return }
            self.onFeed(subscriber) { _ in self.sendRest(to: subscriber) }
        }
    }
}
