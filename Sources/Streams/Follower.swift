import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads

/// A client that is told what happens: a stream of events, or a request that waits for its one reply; and how far it has
/// come.
///
/// At any time it belongs to one thread: a worker's while it catches up, the feed's while it is live; it is handed
/// over through the queues of both.
package final class Follower: @unchecked Sendable {
    // Unchecked: see the rule above.

    /// How what is told reaches the client.
    package enum Client {
        case events(any StreamSink)
        /// One reply with so many changes or objects at most, or with none at a time in milliseconds of the monotonic clock: of a request
        /// that waits.
        case reply(any ReplySink, limit: Int, deadline: UInt64)
    }

    let client: Client
    /// Whose turns it takes.
    let caller: Caller
    /// The followed query, checked against the schema it was last told of.
    var query: CheckedStream
    /// Of one of several queries the generation of the stream that it was added in.
    let generation: Int?
    /// Where it stands on its way to the present.
    var state = FollowerState<MissedChanges>()
    /// Behind which object of an outbox its client stands, if it follows one.
    var outboxCursor: OutboxCursor?
    /// The channel that it is told by; nil while it is told by none. The feed's thread alone.
    var channel: StreamChannel? {
        didSet {
            guard channel == nil, oldValue != nil else { return }
            viewWatch?.remove(self)
            sink?.leaveSteps()
        }
    }
    /// Which rules its client's view was last made by, by how often others were set. The feed's thread alone.
    var rulesGeneration: UInt64 = 0
    /// The object that decides, beside the access document, about its client's view, if one does. The feed's thread alone.
    var deciding: ObservedQuery?
    /// Learns of what may change its client's view, as long as it is told by a channel. The feed's thread alone.
    var viewWatch: ViewWatch?
    /// Pieces that the queue had no room for.
    private var unsent: [SharedBytes] = []
    /// When something was last sent, in milliseconds of the monotonic clock.
    var lastSent: UInt64 = 0

    /// Makes one that has come nowhere yet, or one that knows everything up to a version.
    package init(
        _ client: Client, _ query: CheckedStream, _ caller: Caller, after version: UInt64? = nil,
        generation: Int? = nil
    ) {
        self.client = client
        self.caller = caller
        self.query = query
        self.generation = generation
        if let version { state.begin(at: version) }
    }

    /// The longest wait of a request, in seconds.
    package static let waitSecondsMax = 60

    /// Where events go; nil of a request that waits for a reply.
    var sink: (any StreamSink)? {
        if case .events(let sink) = client { sink } else { nil }
    }

    /// Whether it is a request that waits for a reply.
    var isPoll: Bool { sink == nil }

    /// Whether the client has gone.
    var isGone: Bool {
        switch client {
        case .events(let sink): sink.isClosed
        case .reply(let sink, _, _): sink.isGone
        }
    }

    // MARK: Ends

    /// Ends a stream, or answers a request that has waited in vain.
    func end(_ served: ServedStore) {
        switch client {
        case .events(let sink): sink.end()
        case .reply(let sink, _, _):
            sink.reply(
                outboxCursor.map { OutboxPage.empty(at: $0) }
                    ?? served.emptyChangePage(state.version, of: query))
        }
    }

    /// Ends it with an error; of several queries it alone, where it is at fault.
    ///
    /// - `end`: Under what its query is at fault; nil where something else is.
    /// - `isOtherView`: Whether what its client may read is decided otherwise than what it was told by.
    func fail(
        _ fault: RequestFault, _ events: StreamEvents, as end: QueryEnd?, isOtherView: Bool = false
    ) {
        switch client {
        case .events(let sink):
            var end = fault.isOfFollowedQuery ? end : nil
            end?.isTriedAgain = !fault.isQueryLimit
            let last = events.error(
                fault, of: query, generation: generation, isOtherView: isOtherView,
                endsAll: end == nil)
            if let end { sink.end(sending: last, as: end) } else { sink.end(sending: last) }
        case .reply(let sink, _, _): sink.fail(fault)
        }
    }

    /// Lets go of a client that has left.
    func abandon() {
        if case .reply(let sink, _, _) = client { sink.abandon() }
    }

    // MARK: Sending

    /// Whether the queue has room for more of a snapshot or of what was missed, and surely for a signal.
    var hasRoom: Bool {
        sink.map { unsent.isEmpty && $0.queuedByteCount < $0.queueByteCountMax / 2 } ?? true
    }

    /// Whether its client has been told everything up to the feed's version. The feed's thread, also of one that is a worker's.
    func isAtPresent(_ version: UInt64) -> Bool {
        // One that has no channel may be a worker's, which sends what is left meanwhile.
        channel?.knownVersion(at: version) == version && unsent.isEmpty
    }

    /// Whether nothing waits for its client.
    var isIdle: Bool { unsent.isEmpty && sink?.queuedByteCount ?? 0 == 0 }

    /// Has `body` run once, on any thread, when its client has read enough for another try to send, or has gone: the queue is less than
    /// half full with what is sent next behind what waits, or is empty.
    ///
    /// - `isScarce`: Whether it has to have read everything.
    func whenReady(isScarce: Bool, _ body: @escaping @Sendable () -> Void) {
        guard let sink else { return body() }
        let room = sink.queueByteCountMax / 2 - 1 - (unsent.first?.count ?? 0)
        sink.whenQueued(atMost: isScarce ? 0 : max(0, room), body)
    }

    /// Sends bytes behind what is left, or keeps them until there is room.
    func send(_ bytes: SharedBytes) {
        unsent.append(bytes)
        _ = flush()
    }

    /// Sends bytes of a step, or of a moment at rest, that many streams share, if there is room at once.
    ///
    /// - `version`: What the step leads to.
    /// - `now`: In milliseconds of the monotonic clock.
    func sendLive(_ bytes: SharedBytes, of version: UInt64, now: UInt64) -> StreamSent {
        guard let sink else { return .closed }
        guard unsent.isEmpty || flush() else { return .full }
        let sent = sink.send(bytes, inStepTo: version)
        if case .queued = sent { lastSent = now }
        return sent
    }

    /// Sends what was left; false when not everything had room.
    func flush() -> Bool {
        guard let sink else { return true }
        var sent = 0
        defer { unsent.removeFirst(sent) }
        while sent < unsent.count {
            switch sink.send(unsent[sent]) {
            case .queued:
                lastSent = monotonicMilliseconds()
                sent += 1
            case .closed: sent += 1
            case .full: return false
            }
        }
        return true
    }
}
