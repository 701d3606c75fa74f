import ObjectJSON
import ObjectStore
import Rows
import Threads

/// The followers of equal queries with equal selections: changes are found and written once.
///
/// Lives on the feed's thread.
class StreamChannel: FeedChannel, @unchecked Sendable {
    // Unchecked: everything is touched on the feed's thread alone.

    /// What its followers have in common: how the filter is written does not count.
    struct Key: Hashable {
        let query: ObservedQuery
        let definition: StreamDefinition
        /// Whether workers test the filter.
        let isUntested: Bool

        static func == (a: Key, b: Key) -> Bool {
            let (own, other) = (a.definition, b.definition)
            return a.query.filterKey == b.query.filterKey && a.isUntested == b.isUntested
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
    unowned let hub: StreamHub
    private(set) var subscribers: [StreamSubscriber] = []
    private var polls: [LongPoll] = []
    /// When the next event may be told, in milliseconds of the monotonic clock.
    private var dueMilliseconds: UInt64 = 0
    private var isDelayed = false
    let isUntested: Bool
    /// The version before the first step that touched it since its streams were told everything; nil where none has.
    private var touchedFrom: UInt64?
    /// Whether a timer looks for polls whose clients have left.
    var watchesDepartures = false

    var query: ObservedQuery { stream.observed }
    var key: Key { stream.channelKey(isUntested: isUntested) }
    var readsLists: Bool { false }

    /// Bytes after which an event goes on in another part.
    static let partByteCount = 256 << 10
    /// Bytes beyond which an event is counted with what all streams hold.
    private static let largeByteCount = 64 << 10

    init(_ stream: CheckedStream, isUntested: Bool, hub: StreamHub) {
        self.stream = stream
        self.isUntested = isUntested
        self.hub = hub
    }

    /// Whether nobody follows it.
    var isEmpty: Bool { subscribers.isEmpty && polls.isEmpty }
    /// Whether a poll waits.
    var hasPolls: Bool { !polls.isEmpty }
    /// Some of the streams.
    var someSubscribers: ArraySlice<StreamSubscriber> { subscribers.prefix(16) }

    /// The last version up to which the streams have been told everything, where `version` is that of the feed.
    func holdsThrough(_ version: UInt64) -> UInt64 { touchedFrom ?? version }

    func add(_ subscriber: StreamSubscriber) {
        subscriber.channel = self
        subscribers.append(subscriber)
    }
    func add(_ poll: LongPoll) { polls.append(poll) }

    // MARK: Intervals

    /// Tells what waits for the end of an interval, so that somebody can join who knows it.
    func settle(_ transaction: ReadTransaction, _ version: UInt64) {}

    /// Whether the interval since the last event is over.
    var isDue: Bool { dueMilliseconds == 0 || monotonicMilliseconds() >= dueMilliseconds }

    /// Begins an interval, behind an event.
    func beginInterval() {
        let milliseconds = UInt64(stream.definition.intervalMilliseconds)
        if milliseconds == 0 { return }
        // Those of several queries end together, so that what is told then is of one version.
        dueMilliseconds =
            stream.definition.telling.query == nil
            ? monotonicMilliseconds() + milliseconds : StreamGroup.intervalEnd(milliseconds)
    }

    /// Runs `body` when the interval is over, if nothing waits for that already.
    func delay(_ body: @escaping @Sendable (ChangeFeed.Position) -> Void) {
        if isDelayed { return }
        isDelayed = true
        hub.perform(at: dueMilliseconds) { position in
            self.isDelayed = false
            body(position)
        }
    }

    // MARK: Telling

    /// Drops followers that are gone, or not its own any more.
    func removeGone() {
        subscribers.removeAll { $0.sink.isClosed || $0.channel !== self }
        abandonLeftPolls()
    }

    /// Gives up polls whose clients have left, with their connections.
    func abandonLeftPolls() {
        polls.removeAll { poll in
            guard poll.sink.isGone else { return false }
            poll.sink.abandon()
            return true
        }
        forgetIfEmpty()
    }

    func forgetIfEmpty() {
        if isEmpty { hub.forget(self) }
    }

    func publish(
        _ events: [QueryEvent], from start: UInt64, to version: UInt64, _ step: ChangeStep
    ) {
        let events = counted(events, step)
        if !events.isEmpty {
            tell(events, version, step.before, step.after)
            if !polls.isEmpty { answer(events, (start, version), step.before, step.after) }
        }
        forgetIfEmpty()
    }

    /// The events that its followers are told of: none either where something could not be read, which ends them.
    func counted(_ events: [QueryEvent], _ step: ChangeStep) -> [QueryEvent] {
        guard
            let comparison = ShownComparison(
                of: stream, before: step.before, after: step.after, hub.limits)
        else { return events }
        Self.limit(step.before, step.after, until: ChangeFeed.tellDeadline)
        defer { Self.limit(step.before, step.after, until: .max) }
        let counted = comparison.changes(in: events)
        // What can't be read need not be the same.
        if let fault = fault(step.before, step.after) {
            fail(fault)
        } else if isLate(step.before, step.after) {
            overrun()
        } else {
            return counted
        }
        return []
    }

    /// Sends a step's event to the streams, in parts where it is large. Parts that nobody has room for are not made.
    ///
    /// - `before`: Nil where it is not open any more, and need not be told.
    func tell(
        _ events: [QueryEvent], _ version: UInt64, _ before: ReadTransaction?,
        _ after: ReadTransaction
    ) {
        var position = 0
        defer { Self.limit(before, after, until: .max) }
        while position < events.count, !subscribers.isEmpty {
            Self.limit(before, after, until: ChangeFeed.tellDeadline)
            var writer = ChangeWriter(stream, after, hub.limits, before: before)
            let first = position
            // Where its client has several queries, what this one has is a piece of their event.
            let isEvent = stream.definition.telling.query == nil
            if isEvent { writer.beginChangeEvent(version: version, hub.events.framing) }
            while position < events.count, writer.byteCount < Self.partByteCount {
                if position > first { writer.raw(",") }
                writer.write(events[position], withVersion: false)
                position += 1
            }
            let isLast = position == events.count
            if isEvent {
                writer.endChangeEvent(
                    version: isLast ? version : nil, isLastPart: isLast && first > 0,
                    hub.events.framing)
            }
            hub.meter.countEncoding()
            if let fault = fault(before, after) { return fail(fault) }
            if isLate(before, after) { return overrun(isToldInPart: first > 0) }
            if writer.isTruncated {
                return fail(.replyTooLarge(hub.limits.queryMemoryByteCountMax))
            }
            let bytes = writer.take()
            send(bytes, of: version, isLast: isLast, isToldInPart: first > 0)
        }
    }

    /// Bounds the time of what is read for a part of an event.
    static func limit(
        _ before: ReadTransaction?, _ after: ReadTransaction, until deadline: UInt64
    ) {
        before?.limitFollowing(until: deadline)
        after.limitFollowing(until: deadline)
    }

    /// Why what was read is not what the views hold.
    func fault(_ before: ReadTransaction?, _ after: ReadTransaction) -> RequestFault? {
        (after.failure ?? before?.failure).map { hub.fault(.storage($0)) }
    }

    /// Whether the time for a part of an event is over: what was written is not to be used.
    func isLate(_ before: ReadTransaction?, _ after: ReadTransaction) -> Bool {
        after.isLate || before?.isLate ?? false
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
        var behind = isLarge && hub.budget.isTight ? takeSubscribers() : []
        let bytes = isLarge ? hub.budget.hold(bytes) : bytes
        subscribers.removeAll { subscriber in
            switch subscriber.sendLive(bytes, of: version, now: now) {
            case .queued:
                if isLast { subscriber.version = version }
                return false
            case .full:
                // Its client is slow: it gets what it misses, folded, when there is room again.
                subscriber.channel = nil
                behind.append(subscriber)
                return true
            case .closed: return true
            }
        }
        for subscriber in behind { hub.fallBack(subscriber, isToldInPart: isToldInPart) }
    }

    /// Answers the polls with a step's changes.
    private func answer(
        _ events: [QueryEvent],
        _ versions: (start: UInt64, end: UInt64), _ before: ReadTransaction,
        _ after: ReadTransaction
    ) {
        var page: SharedBytes?
        if polls.contains(where: { events.count <= $0.limit }) {
            Self.limit(before, after, until: ChangeFeed.tellDeadline)
            defer { Self.limit(before, after, until: .max) }
            var writer = ChangeWriter(stream, after, hub.limits, before: before)
            writer.writePage(events, version: versions.end)
            if !writer.isTruncated, fault(before, after) == nil, !isLate(before, after) {
                page = writer.take()
            }
        }
        for poll in takePolls() {
            if let page, events.count <= poll.limit {
                poll.sink.reply(page)
            } else {
                // It knows everything up to there.
                hub.answer(poll.moved(to: versions.start))
            }
        }
    }

    /// Ends the streams with an error, and lets the polls learn it for themselves.
    func fail(_ fault: RequestFault) {
        for subscriber in takeSubscribers() { end(subscriber, with: fault) }
        for poll in takePolls() { hub.answer(poll) }
    }

    /// Ends a stream with an error.
    func end(_ subscriber: StreamSubscriber, with fault: RequestFault) {
        subscriber.sink.end(sending: hub.events.error(fault, of: stream))
    }

    /// Lets go of the streams, which others look after from here on.
    func takeSubscribers() -> [StreamSubscriber] {
        defer { subscribers = [] }
        for subscriber in subscribers { subscriber.channel = nil }
        return subscribers
    }

    private func takePolls() -> [LongPoll] {
        defer { polls = [] }
        return polls
    }

    func touch(from start: UInt64, to version: UInt64) {
        if touchedFrom == nil { touchedFrom = start }
        beginInterval()
        if isDue { return letCatchUp() }
        delay { _ in self.letCatchUp() }
    }

    /// Has workers tell what comes next.
    ///
    /// - `isToldInPart`: Whether the streams have been told a part of a step.
    private func letCatchUp(isToldInPart: Bool = false) {
        for subscriber in takeSubscribers() {
            hub.fallBack(subscriber, isToldInPart: isToldInPart)
        }
        for poll in takePolls() { hub.open(poll) }
        hub.forget(self)
    }

    func invalidate() { letCatchUp() }

    func overrun() { overrun(isToldInPart: false) }

    private func overrun(isToldInPart: Bool) {
        hub.leaveToWorkers(stream)
        letCatchUp(isToldInPart: isToldInPart)
    }

    /// Answers a poll that has waited in vain, if it still waits.
    func expire(_ deadline: UInt64, version: UInt64) {
        polls.removeAll { poll in
            guard poll.deadline <= deadline else { return false }
            poll.sink.reply(hub.emptyPage(version))
            return true
        }
        forgetIfEmpty()
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
