import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastThreads

/// The followers of equal queries with equal selections: changes are found and written once.
///
/// Lives on the feed's thread.
final class StreamChannel: FeedChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    /// The properties that its followers have in common: the spelling of the filter does not count.
    struct Key: Hashable {
        let query: ObservedQuery
        let definition: StreamDefinition
        /// Whether workers test the filter.
        let isUntested: Bool
        /// Names the view of its followers.
        let viewMark: String

        static func == (a: Key, b: Key) -> Bool {
            let (own, other) = (a.definition, b.definition)
            return a.query.filterKey == b.query.filterKey && a.isUntested == b.isUntested
                && a.viewMark == b.viewMark
                && own.shown == other.shown
                && own.fields == other.fields && own.expand == other.expand
                && own.telling == other.telling && own.quotesLargeInts == other.quotesLargeInts
                && own.result == other.result
                && own.intervalMilliseconds == other.intervalMilliseconds
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(query.filterKey)
            hasher.combine(definition.fields)
            hasher.combine(definition.expand)
        }
    }

    let stream: CheckedStream
    let isUntested: Bool
    unowned let hub: StreamHub
    private(set) var followers: [Follower] = []
    private(set) var polls: [Follower] = []
    /// The rules under which all of these joined it, or later ones; see ``StreamHub/rulesGeneration``.
    var oldestRules = UInt64.max
    private var content: ChannelContent
    private var pace: Pace
    private var isDelayed = false
    /// The last version that the followers know everything of, while they are not told of all steps; nil where they are.
    private var toldThrough: UInt64?

    var query: ObservedQuery { stream.observed }
    var key: Key { stream.channelKey(isUntested: isUntested) }
    var readsLists: Bool { stream.property != nil }

    init(_ stream: CheckedStream, isUntested: Bool, hub: StreamHub) {
        self.stream = stream
        self.isUntested = isUntested
        self.hub = hub
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
    var isEmpty: Bool { followers.isEmpty && polls.isEmpty && result?.arrivals.isEmpty ?? true }

    /// Whether a poll waits.
    var hasPolls: Bool { !polls.isEmpty }

    /// The last version up to which the streams have been told everything, where `version` is that of the feed.
    func knownVersion(at version: UInt64) -> UInt64 {
        result?.knownVersion(at: version) ?? toldThrough ?? version
    }

    // MARK: Followers

    func add(_ follower: Follower) {
        follower.channel = self
        oldestRules = min(oldestRules, follower.rulesGeneration)
        switch follower.client {
        case .events: followers.append(follower)
        case .reply: polls.append(follower)
        }
    }

    /// Drops followers that are gone, or not its own any more.
    func removeGone() {
        result?.removeGone()
        let gone = followers.filter { $0.isGone && $0.channel === self }
        followers.removeAll { $0.isGone || $0.channel !== self }
        polls.removeAll { $0.channel !== self }
        for follower in gone { follower.channel = nil }
        forgetIfEmpty()
    }

    /// Gives up polls whose clients have left, and answers those that have waited in vain until a time.
    func endPolls(_ now: UInt64, version: UInt64) {
        polls.removeAll { poll in
            if poll.isGone {
                poll.abandon()
                poll.channel = nil
                return true
            }
            guard case .reply(_, _, let deadline) = poll.client, deadline <= now else {
                return false
            }
            poll.state.know(through: version)
            poll.end(hub.served)
            poll.channel = nil
            return true
        }
        forgetIfEmpty()
    }

    func forgetIfEmpty() {
        if isEmpty { hub.forget(self) }
    }

    /// Lets go of the streams, which others look after from here on.
    func takeFollowers() -> [Follower] {
        defer { followers = [] }
        for follower in followers { follower.channel = nil }
        return followers
    }

    /// Lets go of the polls, which others look after from here on.
    func takePolls() -> [Follower] {
        defer { polls = [] }
        for poll in polls { poll.channel = nil }
        return polls
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
                try tell(counted, version, before, shown.after)
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
        if pace.isDue || content.isFull { return settle(shown.after, version) }
        delay { position in
            self.settle(position.transaction, position.version)
            self.forgetIfEmpty()
        }
    }

    /// Tells what waits for the end of an interval, also so that somebody can join who knows it.
    func settle(_ transaction: ReadTransaction, _ version: UInt64) {
        if content.isTold || hub.lookAgainIfOutdated(self) { return }
        toldThrough = nil
        pace.begin()
        do throws(Interruption) {
            try tell(content.take(), version, transaction.shown(by: query.sight))
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

    func invalidate() {
        // Who catches up learns from the change log what was not told.
        _ = content.take()
        if let result { return result.carryOver(self) }
        letCatchUp()
    }

    func overrun() {
        hub.leaveToWorkers(stream)
        invalidate()
    }

    // MARK: Intervals

    /// Whether the interval since the last event is over.
    var isDue: Bool { pace.isDue }

    /// Begins an interval, behind an event.
    func beginInterval() { pace.begin() }

    /// Runs `body` when the interval is over, if nothing waits for that already.
    func delay(_ body: @escaping @Sendable (ChangeFeed.Position) -> Void) {
        if isDelayed { return }
        isDelayed = true
        hub.perform(at: pace.due) { position in
            self.isDelayed = false
            body(position)
        }
    }

    // MARK: Ends

    /// Why a step can't be told.
    enum Interruption: Error {
        /// The streams end.
        case fault(RequestFault)
        /// It takes too long on the feed's thread, so that workers tell it: behind a part of it, perhaps.
        case late(isToldInPart: Bool)
    }

    private func interrupt(_ interruption: Interruption) {
        switch interruption {
        case .fault(let fault): fail(fault)
        case .late(let isToldInPart):
            hub.leaveToWorkers(stream)
            letCatchUp(isToldInPart: isToldInPart)
        }
    }

    /// Has workers tell what comes next.
    ///
    /// - `isToldInPart`: Whether the streams have been told a part of a step.
    private func letCatchUp(isToldInPart: Bool = false) {
        for follower in takeFollowers() + takePolls() {
            hub.overrun(follower, isToldInPart: isToldInPart)
        }
        hub.forget(self)
    }

    /// Ends the streams with an error, and lets the polls learn it for themselves.
    func fail(_ fault: RequestFault) {
        for follower in takeFollowers() + (result?.takeArrivals() ?? []) {
            follower.fail(fault, hub.events)
        }
        for poll in takePolls() { hub.overrun(poll) }
    }

    /// Ends every stream and answers every poll: the service stops.
    ///
    /// All changes up to `version` have been told, so the polls that are left have nothing to learn.
    func end(version: UInt64) {
        for follower in followers + (result?.takeArrivals() ?? []) { follower.end(hub.served) }
        followers = []
        for poll in takePolls() {
            poll.state.know(through: version)
            poll.end(hub.served)
        }
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
        var slow = isLarge && hub.budget.isTight ? takeFollowers() : []
        var gone: [Follower] = []
        let bytes = isLarge ? hub.budget.hold(bytes) : bytes
        followers.removeAll { follower in
            switch follower.sendLive(bytes, of: version, now: now) {
            case .queued:
                if isLast { follower.state.know(through: version) }
                return false
            case .full:
                // Its client is slow: it gets what it misses, folded, when there is room again.
                slow.append(follower)
                return true
            case .closed:
                gone.append(follower)
                return true
            }
        }
        for follower in slow + gone { follower.channel = nil }
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
            if let failure = step.after.failure { throw .fault(hub.fault(.storage(failure))) }
        case .property(let property, var outcome):
            outcome.append(try self.outcome(of: property, events, step))
            content = .property(property, outcome)
        case .result, .outbox: break
        }
    }
}
