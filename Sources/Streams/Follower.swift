import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads

/// A client that receives changes, and its progress. The client is a stream of events, or a request that waits for its one reply.
///
/// A follower belongs to one thread at a time: to a worker's while it catches up, to the feed's while it is live. The queues of
/// both hand it over.
package final class Follower: @unchecked Sendable {
    // Unchecked: see the rule above.

    /// The way in which the client receives changes.
    package enum Client {
        case events(any StreamSink)
        /// A request that waits for one reply. The reply has at most `limit` changes or objects, or is empty at the deadline, in
        /// milliseconds of the monotonic clock.
        case reply(any ReplySink, limit: Int, deadline: UInt64)
    }

    let client: Client
    /// The caller that takes the follower's turns.
    let caller: Caller
    /// The followed query, checked against the last schema that the client was informed of.
    var query: CheckedStream
    /// The stream's generation in which the query was added; nil if the stream has only one query.
    let generation: Int?
    /// The follower's progress towards the present.
    var state = FollowerState<CatchUpChanges>()
    /// The object of an outbox after which the client continues, if it follows an outbox.
    var outboxCursor: OutboxCursor?
    /// The channel that sends to it; nil while it has no channel. Only on the feed's thread.
    var channel: StreamChannel? {
        didSet {
            guard channel == nil, oldValue != nil else { return }
            principalDependency?.remove(self)
            sink?.leaveLiveSteps()
        }
    }
    /// The generation of the rules by which the client's view was last made. Only on the feed's thread.
    var rulesGeneration: UInt64 = 0
    /// The object that decides, besides the access document, about the client's view, if there is one. Only on the feed's thread.
    var deciding: ObservedQuery?
    /// Learns of changes that may affect the client's view, while the follower has a channel. Only on the feed's thread.
    var principalDependency: PrincipalDependency?
    /// Pieces for which the queue had no room.
    private var unsent: [SharedBytes] = []
    /// The time of the last send, in milliseconds of the monotonic clock.
    var lastSent: UInt64 = 0

    /// Makes a follower that has not received anything, or one that knows everything up to a version.
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

    /// The sink for events; nil for a request that waits for a reply.
    var sink: (any StreamSink)? {
        if case .events(let sink) = client { sink } else { nil }
    }

    /// Whether it is a request that waits for a reply.
    var isPoll: Bool { sink == nil }

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

    /// Ends the follower with an error. Of several queries only this one ends, if it is at fault.
    ///
    /// - `end`: The schema and the view under which the query would be at fault; nil if it cannot be.
    /// - `isOtherView`: Whether the client's view differs from the one by which it received the last changes.
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

    /// Releases a client that has left.
    func abandon() {
        if case .reply(let sink, _, _) = client { sink.abandon() }
    }

    // MARK: Sending

    /// Whether the queue has room for more of a snapshot or of missed changes, and certainly for a signal.
    var hasRoom: Bool {
        sink.map { unsent.isEmpty && $0.queuedByteCount < $0.queueByteCountMax / 2 } ?? true
    }

    /// Whether the client has received everything up to the feed's version. On the feed's thread, even for a follower that
    /// belongs to a worker.
    func isAtPresent(_ version: UInt64) -> Bool {
        // A follower without a channel may belong to a worker, which sends the rest meanwhile.
        channel?.knownVersion(at: version) == version && unsent.isEmpty
    }

    /// Whether nothing is waiting to be sent.
    var isIdle: Bool { unsent.isEmpty && sink?.queuedByteCount ?? 0 == 0 }

    /// Calls `body` once, on any thread, when the client has read enough for another attempt to send, or has gone. That is when
    /// the queue is less than half full together with the first waiting piece, or is empty.
    ///
    /// - `isScarce`: Whether the client has to have read everything.
    func whenReady(isScarce: Bool, _ body: @escaping @Sendable () -> Void) {
        guard let sink else { return body() }
        let room = sink.queueByteCountMax / 2 - 1 - (unsent.first?.count ?? 0)
        sink.whenQueued(atMost: isScarce ? 0 : max(0, room), body)
    }

    /// Sends bytes after the waiting pieces, or keeps them until there is room.
    func send(_ bytes: SharedBytes) {
        unsent.append(bytes)
        _ = flush()
    }

    /// Sends bytes that many streams share, of a step or of a moment at rest, if there is room at once.
    ///
    /// - `version`: The version that the step leads to.
    /// - `now`: In milliseconds of the monotonic clock.
    func sendLive(_ bytes: SharedBytes, of version: UInt64, now: UInt64) -> StreamSent {
        guard let sink else { return .closed }
        guard unsent.isEmpty || flush() else { return .full }
        let sent = sink.send(bytes, inStepTo: version)
        if case .queued = sent { lastSent = now }
        return sent
    }

    /// Sends the waiting pieces. Returns false if not all of them had room.
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
