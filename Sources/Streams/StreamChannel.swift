import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastThreads

/// The followers of equal queries with equal selections. Changes are found and written once for all of them.
///
/// Used only on the feed's thread.
final class StreamChannel: FeedChannel, @unchecked Sendable {
    // Unchecked: all state is used only on the feed's thread.

    /// The properties that its followers have in common. The spelling of the filter does not count.
    struct Key: Hashable {
        let stream: CheckedStream
        /// Whether workers test the filter.
        let isUntested: Bool

        static func == (a: Key, b: Key) -> Bool {
            let (own, other) = (a.stream.definition, b.stream.definition)
            return a.stream.observed.filterKey == b.stream.observed.filterKey
                && a.isUntested == b.isUntested && a.stream.viewMark == b.stream.viewMark
                && own.shown.isSame(as: other.shown) && own.fields.isSame(as: other.fields)
                && own.expand.isSame(as: other.expand) && own.eventOptions == other.eventOptions
                && own.quotesLargeInts == other.quotesLargeInts && own.result == other.result
                && own.intervalMilliseconds == other.intervalMilliseconds
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(stream.observed.filterKey)
            hasher.combine(stream.definition.fields)
            hasher.combine(stream.definition.expand)
        }
    }

    let key: Key
    unowned let hub: StreamHub
    /// The entries that it shares with channels that report the same properties.
    let entries: SharedEntries
    private(set) var followers: [Follower] = []
    /// The rules under which the followers joined: at most the lowest generation of theirs; see ``StreamHub/rulesGeneration``.
    var oldestRules = UInt64.max
    private var content: ChannelContent
    var pace: EventInterval
    private var isDelayed = false
    /// The last version that the followers know completely, while they do not receive all steps; nil while they do.
    private var toldThrough: UInt64?

    var stream: CheckedStream { key.stream }
    var query: ObservedQuery { stream.observed }
    var isUntested: Bool { key.isUntested }
    var readsLists: Bool { stream.property != nil }
    var wantsEvents: Bool { result == nil }
    var client: Int? { (followers.first ?? result?.arrivals.first)?.caller.client.number }

    init(_ key: Key, hub: StreamHub) {
        self.key = key
        self.hub = hub
        let stream = key.stream
        entries = hub.entries.join(stream)
        content = ChannelContent(stream)
        // The intervals of several queries end together, so that their events report one version.
        pace = EventInterval(
            stream.definition.intervalMilliseconds,
            isAligned: stream.definition.eventOptions.query != nil)
    }

    /// The result that is sent as a whole; nil if the channel sends changes.
    var result: FollowedResult? {
        if case .result(let result) = content { result } else { nil }
    }

    var isEmpty: Bool { followers.isEmpty && result?.arrivals.isEmpty ?? true }

    var hasPolls: Bool { followers.contains(where: \.isPoll) }

    /// The last version up to which everything was reported to the streams, if `version` is the feed's version. During a step it
    /// is not known whether the step concerns them.
    func knownVersion(at version: UInt64) -> UInt64 {
        let version = min(version, hub.feed?.toldVersion ?? version)
        return result?.knownVersion(at: version) ?? toldThrough ?? version
    }

    // MARK: Followers

    func add(_ follower: Follower) {
        follower.channel = self
        oldestRules = min(oldestRules, follower.rulesGeneration)
        followers.append(follower)
    }

    /// Drops followers that are gone, or that no longer belong to it.
    func removeGone() {
        result?.removeGone()
        for follower in take(where: { $0.isGone && $0.channel === self }) { follower.abandon() }
        followers.removeAll { $0.channel !== self }
        forgetIfEmpty()
    }

    /// Abandons polls of clients that have left, and answers polls that have reached their deadline.
    func endPolls(_ now: UInt64, version: UInt64) {
        removeGone()
        let isOver = { (follower: Follower) in
            if case .reply(_, _, let deadline) = follower.client { deadline <= now } else { false }
        }
        for poll in take(where: isOver) {
            poll.state.advance(through: version)
            poll.end(hub.served)
        }
        forgetIfEmpty()
    }

    func forgetIfEmpty() {
        if isEmpty { hub.forget(self) }
    }

    /// Removes followers from the channel and returns them.
    func take(where isTaken: (Follower) -> Bool = { _ in true }) -> [Follower] {
        var taken: [Follower] = []
        followers.removeAll { follower in
            let isTaken = isTaken(follower)
            if isTaken { taken.append(follower) }
            return isTaken
        }
        for follower in taken { follower.channel = nil }
        return taken
    }

    // MARK: Steps

    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {
        if hub.lookAgainIfOutdated(self) { return }
        switch content {
        case .result(let result): return result.mark(from: start, to: version, in: self)
        case .outbox:
            // Acknowledged objects, and objects that lost a link's target, are no news.
            if events.contains(where: { $0.kind == .enter }) { letCatchUp() }
            return
        case .changes, .property: break
        }
        defer { forgetIfEmpty() }
        let shown = step.shown(by: stream.showing, reporting: events)
        do throws(Interruption) {
            if case .changes = content, pace.isImmediate {
                let counted = try counted(events, shown)
                if counted.isEmpty { return }
                // Past values are seldom reported, so only then are they read through the visibility.
                let before = (stream.definition.eventOptions.tellsOld ? shown : step).before
                try tell(counted, version, before, shown.after, step.budget)
                answer(counted, (start, version), before, shown.after)
                return
            }
            try fold(events, shown)
        } catch { return interrupt(error) }
        if content.isTold {
            toldThrough = nil
            return
        }
        if toldThrough == nil { toldThrough = start }
        if pace.isDue || content.isFull { return settle(shown.after.unrestricted, version) }
        delay { position in
            self.settle(position.transaction, position.version)
            self.forgetIfEmpty()
        }
    }

    /// Sends the changes that wait for the end of an interval. A follower that knows the present can join afterwards.
    func settle(_ transaction: StoreView, _ version: UInt64) {
        if content.isTold || hub.lookAgainIfOutdated(self) { return }
        toldThrough = nil
        pace.begin()
        do throws(Interruption) {
            try tell(content.take(), version, transaction.restricted(to: query.visibility))
        } catch { interrupt(error) }
    }

    func touch(from start: UInt64, to version: UInt64) {
        if let result { return result.mark(from: start, to: version, in: self) }
        if toldThrough == nil { toldThrough = start }
        pace.begin()
        if pace.isDue { return letCatchUp() }
        delay { _ in self.letCatchUp() }
    }

    func invalidate(isSlow: Bool) {
        if isSlow { hub.leaveToWorkers(stream) }
        // A follower that catches up finds the unsent changes in the change log.
        _ = content.take()
        if let result { return result.carryOver(self) }
        letCatchUp()
    }

    // MARK: Intervals

    /// Runs `body` when the interval is over, if nothing waits for that already.
    func delay(_ body: @escaping @Sendable (ChangeFeed.Position) -> Void) {
        if isDelayed { return }
        isDelayed = true
        hub.feed?.perform(at: pace.due) { position in
            self.isDelayed = false
            body(position)
        }
    }

    // MARK: Ends

    /// The reason why a step cannot be sent.
    enum Interruption: Error {
        /// The streams end.
        case fault(RequestFault)
        /// The step takes too long on the feed's thread, so that workers report it, perhaps after a part of it. They report the
        /// next steps too if one part took long by itself.
        case late(isToldInPart: Bool, isSlow: Bool)
    }

    private func interrupt(_ interruption: Interruption) {
        switch interruption {
        case .fault(let fault): fail(fault)
        case .late(let isToldInPart, let isSlow):
            if isSlow { hub.leaveToWorkers(stream) }
            letCatchUp(isToldInPart: isToldInPart)
        }
    }

    /// Lets workers send the next changes.
    ///
    /// - `isToldInPart`: Whether the streams have received a part of a step.
    private func letCatchUp(isToldInPart: Bool = false) {
        for follower in take() { hub.fallBehind(follower, isToldInPart: isToldInPart) }
        hub.forget(self)
    }

    /// Ends the streams with an error. Polls go to workers, which meet the error themselves.
    func fail(_ fault: RequestFault) {
        for follower in take() + (result?.takeArrivals() ?? []) {
            if follower.isPoll {
                hub.fallBehind(follower)
            } else {
                follower.fail(fault, hub.events, as: QueryEnd(follower.query))
            }
        }
    }

    /// Ends every stream and answers every poll, because the service stops.
    ///
    /// All changes up to `version` have been sent, so the remaining polls have nothing to receive.
    func end(version: UInt64) {
        for poll in take(where: \.isPoll) {
            poll.state.advance(through: version)
            poll.end(hub.served)
        }
        for follower in followers + (result?.takeArrivals() ?? []) { follower.end(hub.served) }
        followers = []
    }

    /// Sends bytes of a step to the streams.
    ///
    /// - `version`: The version that the step leads to.
    /// - `isLast`: Whether the bytes end the step.
    /// - `isToldInPart`: Whether the streams have received a part of the step.
    func send(
        _ bytes: SharedBytes, of version: UInt64, isLast: Bool = true, isToldInPart: Bool = false
    ) {
        let now = monotonicMilliseconds()
        let isLarge = bytes.count > Self.largeByteCount
        var slow = isLarge && hub.catchUp.budget.isTight ? take { !$0.isPoll } : []
        let bytes = isLarge ? hub.catchUp.budget.hold(bytes) : bytes
        _ = take { follower in
            if follower.isPoll { return false }
            switch follower.sendLive(bytes, of: version, now: now) {
            case .queued:
                if isLast { follower.state.advance(through: version) }
                return false
            case .full:
                // The client is slow. It receives the missed changes, folded, when there is room again.
                slow.append(follower)
                return true
            case .closed: return true
            }
        }
        for follower in slow { hub.fallBehind(follower, isToldInPart: isToldInPart) }
    }

    /// Larger events count in the budget of all streams.
    private static let largeByteCount = 64 << 10

    /// Adds the changes of a step, to be sent with others.
    private func fold(_ events: [QueryEvent], _ step: ChangeStep) throws(Interruption) {
        switch content {
        case .changes(var folded):
            // The content must have only one reference to be changed in place.
            content = .changes(FoldedEvents())
            for event in try counted(events, step) { folded.add(event, step.after) }
            content = .changes(folded)
            if let failure = step.after.failure {
                throw .fault(hub.served.fault(.storage(failure)))
            }
        case .property(let property, var outcome):
            outcome.append(try self.outcome(of: property, events, step))
            content = .property(property, outcome)
        case .result, .outbox: break
        }
    }
}

/// The interval of a channel's events. All changes within an interval are one event. One thread at a time uses it.
struct EventInterval {
    /// The length of an interval; 0 if each step is sent by itself.
    let milliseconds: UInt64
    /// Whether intervals end at multiples of their length, so that several channels report the same version together.
    let isAligned: Bool
    /// The time of the next event, in milliseconds of the monotonic clock.
    private(set) var due: UInt64 = 0

    /// Makes a pace of intervals in milliseconds.
    init(_ milliseconds: Int, isAligned: Bool) {
        self.milliseconds = UInt64(milliseconds)
        self.isAligned = isAligned
    }

    /// Whether each step is sent by itself.
    var isImmediate: Bool { milliseconds == 0 }
    /// Whether the interval since the last event is over.
    var isDue: Bool { due == 0 || monotonicMilliseconds() >= due }

    /// Begins an interval after an event.
    mutating func begin() {
        if isImmediate { return }
        let now = monotonicMilliseconds()
        due = isAligned ? (now / milliseconds + 1) * milliseconds : now + milliseconds
    }
}
