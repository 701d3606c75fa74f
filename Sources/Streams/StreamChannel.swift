import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastThreads

/// The followers of equal queries with equal selections: changes are found and written once.
///
/// Lives on the feed's thread.
final class StreamChannel: FeedChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    /// The properties that its followers have in common: the spelling of the filter does not count.
    struct Key: Hashable {
        let stream: CheckedStream
        /// Whether workers test the filter.
        let isUntested: Bool

        static func == (a: Key, b: Key) -> Bool {
            let (own, other) = (a.stream.definition, b.stream.definition)
            return a.stream.observed.filterKey == b.stream.observed.filterKey
                && a.isUntested == b.isUntested && a.stream.viewMark == b.stream.viewMark
                && own.shown.isSame(as: other.shown)
                && own.fields.isSame(as: other.fields) && own.expand.isSame(as: other.expand)
                && own.telling == other.telling && own.quotesLargeInts == other.quotesLargeInts
                && own.result == other.result
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
    /// The rules under which all of these joined it, or later ones; see ``StreamHub/rulesGeneration``.
    var oldestRules = UInt64.max
    private var content: ChannelContent
    /// How often they are told.
    var pace: Pace
    private var isDelayed = false
    /// The last version that the followers know everything of, while they are not told of all steps; nil where they are.
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
        // Those of several queries end together, so that what is told then is of one version.
        pace = Pace(
            stream.definition.intervalMilliseconds,
            isAligned: stream.definition.telling.query != nil)
    }

    /// The result that its followers are told of as a whole, if they are.
    var result: FollowedResult? {
        if case .result(let result) = content { result } else { nil }
    }

    /// Whether it has no followers.
    var isEmpty: Bool { followers.isEmpty && result?.arrivals.isEmpty ?? true }

    /// Whether a poll waits.
    var hasPolls: Bool { followers.contains(where: \.isPoll) }

    /// The last version up to which everything was reported to the streams, where `version` is the feed's version. During a step it is not
    /// known whether the step concerns them.
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

    /// Drops followers that are gone, or not its own any more.
    func removeGone() {
        result?.removeGone()
        for follower in take(where: { $0.isGone && $0.channel === self }) { follower.abandon() }
        followers.removeAll { $0.channel !== self }
        forgetIfEmpty()
    }

    /// Gives up polls whose clients have left, and answers those that have waited in vain until a time.
    func endPolls(_ now: UInt64, version: UInt64) {
        removeGone()
        let isOver = { (follower: Follower) in
            if case .reply(_, _, let deadline) = follower.client { deadline <= now } else { false }
        }
        for poll in take(where: isOver) {
            poll.state.know(through: version)
            poll.end(hub.served)
        }
        forgetIfEmpty()
    }

    func forgetIfEmpty() {
        if isEmpty { hub.forget(self) }
    }

    /// Lets go of followers, which others look after from here on.
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
            // What was acknowledged, or lost the target of a link, is no news.
            if events.contains(where: { $0.kind == .enter }) { letCatchUp() }
            return
        case .changes, .property: break
        }
        defer { forgetIfEmpty() }
        let shown = step.shown(by: stream.showing, telling: events)
        do throws(Interruption) {
            if case .changes = content, pace.isImmediate {
                let counted = try counted(events, shown)
                if counted.isEmpty { return }
                // What was before is seldom told.
                let before = (stream.definition.telling.tellsOld ? shown : step).before
                try tell(counted, version, before, shown.after, step.budget)
                answer(counted, (start, version), before, shown.after)
                return
            }
            try fold(events, shown)
        } catch {
            return interrupt(error)
        }
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

    /// Tells what waits for the end of an interval, also so that somebody can join who knows it.
    func settle(_ transaction: StoreView, _ version: UInt64) {
        if content.isTold || hub.lookAgainIfOutdated(self) { return }
        toldThrough = nil
        pace.begin()
        do throws(Interruption) {
            try tell(content.take(), version, transaction.restricted(to: query.sight))
        } catch {
            interrupt(error)
        }
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
        // Who catches up learns from the change log what was not told.
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

    /// Why a step can't be told.
    enum Interruption: Error {
        /// The streams end.
        case fault(RequestFault)
        /// The step takes too long on the feed's thread, so that workers report it: perhaps after a part of it. They report the next steps too if one
        /// part took long by itself.
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

    /// Has workers tell what comes next.
    ///
    /// - `isToldInPart`: Whether the streams have been told a part of a step.
    private func letCatchUp(isToldInPart: Bool = false) {
        for follower in take() { hub.overrun(follower, isToldInPart: isToldInPart) }
        hub.forget(self)
    }

    /// Ends the streams with an error, and lets the polls learn it for themselves.
    func fail(_ fault: RequestFault) {
        for follower in take() + (result?.takeArrivals() ?? []) {
            if follower.isPoll {
                hub.overrun(follower)
            } else {
                follower.fail(fault, hub.events, as: QueryEnd(follower.query))
            }
        }
    }

    /// Ends every stream and answers every poll: the service stops.
    ///
    /// All changes up to `version` have been told, so the polls that are left have nothing to learn.
    func end(version: UInt64) {
        for poll in take(where: \.isPoll) {
            poll.state.know(through: version)
            poll.end(hub.served)
        }
        for follower in followers + (result?.takeArrivals() ?? []) { follower.end(hub.served) }
        followers = []
    }

    /// Sends bytes of a step to the streams.
    ///
    /// - `version`: What the step leads to.
    /// - `isLast`: Whether nothing more of the step follows.
    /// - `isToldInPart`: Whether they have been told a part of the step.
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
                if isLast { follower.state.know(through: version) }
                return false
            case .full:
                // Its client is slow: it gets what it misses, folded, when there is room again.
                slow.append(follower)
                return true
            case .closed: return true
            }
        }
        for follower in slow { hub.overrun(follower, isToldInPart: isToldInPart) }
    }

    /// Bytes beyond which an event is counted with what all streams hold.
    private static let largeByteCount = 64 << 10

    /// Takes in what a step means, to be told with others.
    private func fold(_ events: [QueryEvent], _ step: ChangeStep) throws(Interruption) {
        switch content {
        case .changes(var folded):
            // Of one reference, so that it is changed in place.
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

/// How often a channel's followers are told: what happens within an interval is one event. One thread at a time uses it.
struct Pace {
    /// The length of an interval; 0 where each step is told by itself.
    let milliseconds: UInt64
    /// Whether intervals end at multiples of their length, so that several channels tell of one version together.
    let isAligned: Bool
    /// When the next event may be told, in milliseconds of the monotonic clock.
    private(set) var due: UInt64 = 0

    /// Makes a pace of intervals in milliseconds.
    init(_ milliseconds: Int, isAligned: Bool) {
        self.milliseconds = UInt64(milliseconds)
        self.isAligned = isAligned
    }

    /// Whether each step is told by itself.
    var isImmediate: Bool { milliseconds == 0 }
    /// Whether the interval since the last event is over.
    var isDue: Bool { due == 0 || monotonicMilliseconds() >= due }

    /// Begins an interval, behind an event.
    mutating func begin() {
        if isImmediate { return }
        let now = monotonicMilliseconds()
        due = isAligned ? (now / milliseconds + 1) * milliseconds : now + milliseconds
    }
}
