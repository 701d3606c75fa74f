import ObjectStore
import Threads

/// One stream of events and how far it has come.
///
/// At any time it belongs to one thread: a worker's while it catches up, the feed's while it is live; it is handed
/// over through the queues of both.
package final class StreamSubscriber: @unchecked Sendable {
    // Unchecked: see the rule above.

    /// The phase of the stream.
    enum Phase {
        /// The result as it is, object by object: what is left of which class, by its number, behind which key.
        case snapshot(classNumber: UInt32, after: UInt64)
        /// Changes since ``version`` have to be looked up.
        case catchUp
        /// Changes since ``version`` are being told, folded.
        indirect case missed(MissedChanges)
        /// Told of each step of the feed.
        case live
    }

    let sink: any StreamSink
    /// Whose turns it takes.
    let clientKey: ClientKey
    /// What it follows, checked against the schema it was last told of.
    var query: CheckedStream
    /// Of one of several queries the generation of the stream that it was added in.
    let generation: Int?
    var phase = Phase.catchUp
    /// The version up to which the client has been told everything; while a snapshot is sent, the
    /// version that it begins at.
    var version: UInt64 = 0
    /// Whether a snapshot has a version to begin at.
    var hasSnapshotVersion = false
    /// Whether the client has to be told when it is at the present: it has been told something that has no id.
    var needsUpToDate = true
    /// How often it came to the feed while there was more to tell than the feed tells by itself.
    var lateArrivalCount = 0
    /// The channel that it is told by; nil while it is told by none. The feed's thread alone.
    var channel: StreamChannel? {
        didSet { if channel == nil, oldValue != nil { sink.leaveSteps() } }
    }
    /// Pieces that the queue had no room for.
    private var unsent: [SharedBytes] = []
    /// When something was last sent, in milliseconds of the monotonic clock.
    var lastSent: UInt64 = 0

    /// Makes a stream that has come nowhere yet.
    package init(
        _ sink: any StreamSink, _ query: CheckedStream, _ clientKey: ClientKey,
        generation: Int? = nil
    ) {
        self.sink = sink
        self.clientKey = clientKey
        self.query = query
        self.generation = generation
    }

    /// Starts over with the whole result.
    func restart() {
        phase = .snapshot(classNumber: 0, after: 0)
        hasSnapshotVersion = false
        needsUpToDate = true
    }

    /// Goes on with what follows ``version``, folded.
    ///
    /// - `isToldInPart`: Whether it has been told a part of that.
    func fallBack(isToldInPart: Bool) {
        phase = .catchUp
        needsUpToDate = isToldInPart
        lateArrivalCount = 0
    }

    /// Whether the queue has room for more of a snapshot or of what was missed, and surely for a signal.
    var hasRoom: Bool { unsent.isEmpty && sink.queuedByteCount < sink.queueByteCountMax / 2 }

    /// Whether its client has been told everything up to the feed's version. The feed's thread.
    func isAtPresent(_ version: UInt64) -> Bool {
        unsent.isEmpty && channel?.holdsThrough(version) == version
    }

    /// Whether nothing waits for its client.
    var isIdle: Bool { unsent.isEmpty && sink.queuedByteCount == 0 }

    /// Has `body` run once, on any thread, when its client has read enough for another try to send, or has gone.
    ///
    /// - `isScarce`: Whether it has to have read everything.
    func whenReady(isScarce: Bool, _ body: @escaping @Sendable () -> Void) {
        if isScarce { return sink.whenQueued(atMost: 0, body) }
        sink.whenReady(for: unsent.first?.count ?? 0, body)
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
        guard unsent.isEmpty || flush() else { return .full }
        let sent = sink.send(bytes, inStepTo: version)
        if case .queued = sent { lastSent = now }
        return sent
    }

    /// Sends what was left; false when not everything had room.
    func flush() -> Bool {
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
