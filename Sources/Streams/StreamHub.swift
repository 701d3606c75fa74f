import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// Catches streams of events up, then delivers new changes to them.
///
/// A worker's thread feeds a stream as fast as its client reads; near the present it joins a channel of the feed. Thread-safe.
package final class StreamHub: @unchecked Sendable {
    // Unchecked: mutable state is used only on the feed's thread; `feed` is set once, before the hub is used.

    let served: ServedStore
    /// The events of its streams, and their framing.
    let events: StreamEvents
    private let encodings = Atomic<Int>(0)
    private(set) var feed: ChangeFeed?
    /// The memory of the results that are followed as a whole.
    package let results: ResultBudget
    /// The channels of live streams. Only on the feed's thread.
    var channels: [StreamChannel.Key: StreamChannel] = [:]
    /// The watches of the objects that live followers' views depend on. Only on the feed's thread.
    var principalDependencies: [PrincipalDependency.Key: PrincipalDependency] = [:]
    /// The channels with waiting polls. Only on the feed's thread.
    var polled: [ObjectIdentifier: StreamChannel] = [:]
    /// The clients of several queries, by the ids of their streams. Only on the feed's thread.
    var groups: [String: StreamGroup] = [:]
    /// The groups that have ended queries. Only on the feed's thread.
    var groupsWithEnded: [ObjectIdentifier: StreamGroup] = [:]
    /// The groups with steps that they have not been sent yet. Only on the feed's thread.
    var groupsInStep: [StreamGroup] = []
    /// The versions at which the feed's last steps ended. Only on the feed's thread.
    var stepEnds: Set<UInt64> = []
    /// The streams of several queries.
    package let queryStreams: QueryStreams
    /// The timers of streams. Only on the feed's thread.
    var timers = TimerWheel<Timer>(slotMilliseconds: 250, now: monotonicMilliseconds())
    /// Whether timers are served again before the next tick, because more are due. Only on the feed's thread.
    var servesTimersSoon = false
    /// Streams that have no timer yet. Any thread.
    let begun = Mutex<[Follower]>([])
    private let isStopping = Atomic<Bool>(false)
    /// The number of times that other rules were set.
    let rulesGeneration = Atomic<UInt64>(0)
    /// Brings streams to the present.
    let catchUp: StreamCatchUp
    /// The jobs with which workers serve streams.
    let jobs: StreamJobs
    /// The entries of steps that channels share.
    let entries = SharedEntryTable()

    /// Filters that workers test, each with the end of that time, in milliseconds of the monotonic clock. Only on the feed's
    /// thread.
    private var untested: [ObservedFilter.Key: UInt64] = [:]

    /// The time for which workers test a filter that has taken the feed too long, in milliseconds.
    private static let untestedMilliseconds: UInt64 = 30_000

    /// Makes a hub that follows nothing yet.
    package init(_ served: ServedStore, _ events: StreamEvents) {
        self.served = served
        self.events = events
        catchUp = StreamCatchUp(served: served, events: events)
        jobs = StreamJobs(served.scheduler)
        queryStreams = QueryStreams(served.limits)
        results = ResultBudget(byteCountMax: served.limits.queryMemoryByteCountMax)
    }

    /// Starts following the store.
    package func start() {
        feed = ChangeFeed(
            store: served.store, filterMilliseconds: served.limits.feedFilterMilliseconds,
            stepMicroseconds: served.limits.feedStepMicroseconds,
            onStep: { [weak self] version in self?.endStep(to: version) },
            onTick: { [weak self] version in self?.tick(version) },
            logFailure: { [served] error in _ = served.fault(error) })
    }

    /// Figures that show how the streams keep up with the commits.
    package var feedFigures: FeedFigures? { feed?.figures }

    /// The number of pieces of changes that were written as JSON for live streams. A shared piece counts once. Any thread.
    package var encodingCount: Int { encodings.load(ordering: .relaxed) }

    func countEncoding() { encodings.wrappingAdd(1, ordering: .relaxed) }

    /// The cursor after a version for the followers of a query.
    func cursor(_ number: UInt64, of query: CheckedStream) -> String {
        query.cursor(StoreVersion(epoch: served.store.epoch, number: number))
    }

    /// Ends all streams and polls and stops following. Call it once, before the scheduler is stopped.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        feed?.perform { position in
            for channel in self.channels.values { channel.end(version: position.version) }
            self.channels = [:]
            for group in self.groups.values { group.sink.end() }
            self.groups = [:]
            // Polls that wait for another attempt are answered.
            for case .retry(let body) in self.timers.takeAll() { body() }
        }
        feed?.stop()
    }

    /// Runs `body` on the feed's thread, or `orElse` if the feed has stopped or stops.
    package func perform(
        _ body: @escaping @Sendable (ChangeFeed.Position) -> Void,
        orElse: @escaping @Sendable () -> Void = {}
    ) {
        let isTaken = feed?.perform(
            { position in
                if self.isStopping.load(ordering: .acquiring) { return orElse() }
                body(position)
            }, orElse: orElse)
        if isTaken != true { orElse() }
    }

    /// Whether a channel has not been replaced.
    func isInUse(_ channel: StreamChannel) -> Bool { channels[channel.key] === channel }

    // MARK: Joining

    /// Begins to serve a stream. Any thread.
    ///
    /// - `begin`: Informs the client that its stream begins, once everything that is written from then on will be reported.
    package func open(
        _ follower: Follower, from start: StreamCursor, begin: @escaping @Sendable () -> Void
    ) {
        follower.query.observed.prepare()
        let present = served.store.publisher.version
        if case .now = start, follower.query.result == nil {
            perform { position in
                self.keepAlive(follower)
                follower.send(
                    self.events.hello(
                        self.cursor(position.version, of: follower.query), isID: true))
                follower.state.begin(at: position.version)
                self.arrive(follower, position)
                begin()
            } orElse: {
                follower.end(self.served)
                begin()
            }
            return
        }
        begin()
        keepAlive(follower)
        follower.send(events.hello(follower.query.eventText(of: start)))
        resume(follower, start, present: present)
    }

    /// Starts a stream after the version that its client knows.
    ///
    /// - `present`: A version that was the newest one after the client's request.
    func resume(_ follower: Follower, _ start: StreamCursor, present: UInt64) {
        guard let version = start.eventVersion else {
            return restart(follower, start == .otherView ? .accessChanged : .start)
        }
        guard version.epoch == served.store.epoch, version.number <= present else {
            return restart(follower, .restored)
        }
        follower.state.advance(through: version.number)
        feedLater(follower)
    }

    /// Restarts a stream with a snapshot.
    func restart(_ follower: Follower, _ reason: ResetReason) {
        _ = catchUp.reset(follower, reason)
        feedLater(follower)
    }

    /// Hands a stream over to the feed's thread. If the feed has stopped or stops, the stream ends.
    func onFeed(_ follower: Follower, _ body: @escaping @Sendable (ChangeFeed.Position) -> Void) {
        perform(body) { follower.end(self.served) }
    }

    /// Removes followers from their channels. On the feed's thread.
    ///
    /// - Returns: The removed followers, without followers that were removed before, or meanwhile with others of their client.
    @discardableResult
    func detach(_ followers: [Follower]) -> [Follower] {
        var left: [ObjectIdentifier: StreamChannel] = [:]
        let taken = followers.filter { follower in
            guard let channel = follower.channel else { return false }
            follower.channel = nil
            left[ObjectIdentifier(channel)] = channel
            return true
        }
        for channel in left.values { channel.removeGone() }
        return taken
    }

    /// Lets workers test a stream's filter for some time. On the feed's thread.
    func leaveToWorkers(_ stream: CheckedStream) {
        let now = monotonicMilliseconds()
        untested = untested.filter { $0.value > now }
        untested[stream.observed.filterKey] = now + Self.untestedMilliseconds
    }

    /// Whether workers test a filter. On the feed's thread.
    func isUntested(_ query: ObservedQuery) -> Bool {
        query.isWide || untested[query.filterKey].map { $0 > monotonicMilliseconds() } ?? false
    }

    func channel(_ query: CheckedStream, _ position: ChangeFeed.Position) -> StreamChannel {
        let key = StreamChannel.Key(stream: query, isUntested: isUntested(query.observed))
        if let present = channels[key] {
            if present.stream.names.schema.identity == query.names.schema.identity {
                return present
            }
            present.invalidate(isSlow: false)
        }
        let fresh = StreamChannel(key, hub: self)
        channels[key] = fresh
        position.feed.add(fresh)
        return fresh
    }

    /// Drops a channel without followers. On the feed's thread.
    func forget(_ channel: StreamChannel) {
        if channels[channel.key] === channel {
            channels[channel.key] = nil
            entries.leave(channel)
        }
        feed?.remove(channel)
    }

    // MARK: Catching up, on the scheduler's threads

    /// Takes a live stream out of the steps. It receives the missed changes, folded, once its client has read. On the feed's
    /// thread.
    ///
    /// - `isToldInPart`: Whether it has received a part of the next event.
    func fallBehind(_ follower: Follower, isToldInPart: Bool = false) {
        follower.state.fallBehind(isToldInPart: isToldInPart)
        // The changes of a whole result are not sent folded.
        if follower.query.result != nil { follower.state.reset(.fellBehind) }
        wait(follower)
    }

    /// Continues once the client has read.
    func wait(_ follower: Follower) {
        if isStopping.load(ordering: .acquiring) { return follower.end(served) }
        follower.whenReady(isScarce: catchUp.budget.isTight) { [weak self] in
            // A client that has gone needs no more.
            if follower.isGone { return follower.abandon() }
            self?.feedLater(follower)
        }
    }

    /// Lets a worker take a follower towards the present.
    func feedLater(_ follower: Follower) {
        let job = Job(
            follower.caller.client, until: served.queryDeadline, isAwaited: { !follower.isGone }
        ) { self.takeTurn(follower, $0) }
        if case .reply(let sink, _, _) = follower.client {
            if !served.scheduler.submit(job) { sink.fail(.tooBusy) }
            return
        }
        jobs.submit(job) {
            self.onFeed(follower) { _ in self.retry { self.feedLater(follower) } }
        }
    }

    /// Feeds a stream until its queue is half full, it is near the present, or its turn is over.
    private func takeTurn(_ follower: Follower, _ job: Job) {
        if case .reply(let sink, let limit, let deadline) = follower.client {
            return look(follower, sink, limit: limit, until: deadline, job)
        }
        // The job has waited too long for its turn, which is not the query's fault.
        if job.isOverdue { return feedLater(follower) }
        _ = follower.flush()
        repeat {
            if follower.isGone { return }
            if isStopping.load(ordering: .acquiring) { return follower.end(served) }
            guard catchUp.hasRoom(follower) else { return wait(follower) }
            var isOtherView = false
            var end: QueryEnd?
            do throws(RequestFault) {
                let outcome = try served.withRead(for: follower.caller, in: job) {
                    read throws(RequestFault) in
                    isOtherView = !follower.query.isOf(read)
                    end = QueryEnd(read)
                    return try catchUp.step(follower, read)
                }
                switch outcome {
                case .reply(let isNear):
                    guard isNear else { break }
                    return onFeed(follower) { position in self.arrive(follower, position) }
                case .again: return
                case .gone: return follower.end(served)
                }
            } catch {
                // A cursor with too many changes to judge for its user would fail each time that the user comes back.
                if error.isQueryLimit, follower.state.findsMissed, follower.query.judgesMissed {
                    _ = catchUp.reset(follower, .fellBehind)
                    break
                }
                return follower.fail(error, events, as: end, isOtherView: isOtherView)
            }
        } while job.isInFirstSlice || !catchUp.hasRoom(follower)
        feedLater(follower)
    }
}

/// Long polls: followers of one reply, which wait for the first change that concerns their query.
extension StreamHub {
    /// The maximum number of versions between a poll's cursor and the present that the feed's thread looks at.
    private static let pollVersionCountMax: UInt64 = 1_000

    /// Answers a request at once if something has changed since its cursor. Otherwise the request waits for the first change that
    /// concerns its query. Any thread.
    package func open(_ poll: Follower) {
        poll.query.observed.prepare()
        feedLater(poll)
    }

    /// Answers a poll if there is something to report or its time is over. Otherwise the poll waits. On a worker's thread.
    func look(
        _ poll: Follower, _ sink: any ReplySink, limit: Int, until deadline: UInt64, _ job: Job
    ) {
        do throws(RequestFault) {
            let outcome = try served.withChanges(of: poll.query, for: poll.caller, in: job) {
                read throws(RequestFault) in try catchUp.reply(to: poll, limit: limit, read)
            }
            switch outcome {
            case .reply(let page?): return sink.reply(page)
            case .reply(nil): break
            case .again: return
            case .gone: return sink.abandon()
            }
        } catch { return sink.fail(error) }
        if monotonicMilliseconds() >= deadline { return poll.end(served) }
        onFeed(poll) { self.arrive(poll, $0) }
    }

    /// Brings a poll to the feed's version with the commits made meanwhile, unless they are many.
    ///
    /// - Returns: False if the poll is answered, or a worker looks again.
    func settle(
        _ poll: Follower, _ sink: any ReplySink, limit: Int, _ position: ChangeFeed.Position
    ) throws(RequestFault) -> Bool {
        guard position.version - poll.state.version <= Self.pollVersionCountMax else {
            feedLater(poll)
            return false
        }
        // Other followers are served from the feed's view, too.
        defer { position.transaction.beginFollowing() }
        let read = position.transaction.restricted(to: poll.query.observed.visibility)
        guard let page = try catchUp.reply(to: poll, limit: limit, read) else { return true }
        sink.reply(page)
        return false
    }
}
