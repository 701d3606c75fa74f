import ObjectStore
import Threads

/// One stream of events and how far it has come.
///
/// At any time it belongs to one thread: a worker's while it catches up, the feed's while it is live or
/// waits for its client; it is handed over through the queues of both.
package final class StreamSubscriber: @unchecked Sendable {
    // Unchecked: see the rule above.

    /// The phase of the stream.
    enum Phase {
        /// The result as it is, object by object: what is left of which class, behind which key.
        case snapshot(classIndex: Int, after: UInt64)
        /// Changes since ``version`` have to be looked up.
        case catchUp
        /// Changes since ``version`` are being told, folded.
        case missed(MissedChanges)
        /// Told of each commit.
        case live
    }

    let sink: any StreamSink
    /// Whose turns it takes.
    let clientKey: ClientKey
    /// What it follows, checked against the schema it was last told of.
    var query: CheckedStream
    var phase = Phase.live
    /// The version up to which the client has been told everything; while a snapshot is sent, the
    /// version that it begins at.
    var version: UInt64 = 0
    /// Whether a snapshot has a version to begin at.
    var hasSnapshotVersion = false
    /// Pieces that the queue had no room for.
    private var unsent: [SharedBytes] = []
    /// When something was last sent, in milliseconds of the monotonic clock.
    var lastSent: UInt64 = 0

    /// Makes a stream that has come nowhere yet.
    package init(_ sink: any StreamSink, _ query: CheckedStream, _ clientKey: ClientKey) {
        self.sink = sink
        self.clientKey = clientKey
        self.query = query
    }

    /// Starts over with the whole result.
    func restart(_ query: CheckedStream) {
        self.query = query
        phase = .snapshot(classIndex: query.observed.classIndex ?? 0, after: 0)
        hasSnapshotVersion = false
    }

    /// Whether the queue has room for more of a snapshot or of what was missed, and surely for a signal.
    var hasRoom: Bool { unsent.isEmpty && sink.queuedByteCount < sink.queueByteCountMax / 2 }

    /// Whether its client has read enough for another try to send.
    var isReady: Bool {
        guard let next = unsent.first else { return hasRoom }
        let queued = sink.queuedByteCount
        return queued == 0 || queued + next.count <= sink.queueByteCountMax
    }

    /// Sends bytes behind what is left, or keeps them until there is room.
    func send(_ bytes: SharedBytes) {
        unsent.append(bytes)
        _ = flush()
    }

    /// Sends the bytes of a commit that many streams share, if there is room at once.
    func sendLive(_ bytes: SharedBytes) -> StreamSent {
        guard flush() else { return .full }
        let sent = sink.send(bytes)
        if case .queued = sent { lastSent = monotonicMilliseconds() }
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
