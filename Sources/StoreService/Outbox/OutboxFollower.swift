import Bytes
import ObjectJSON
import Threads

/// A client that waits for objects of an outbox: a stream of events, or a request that waits for the first.
///
/// At any time it belongs to one thread: a worker's while it is fed, the feed's while it waits; it is
/// handed over through the queues of both.
final class OutboxFollower: @unchecked Sendable {
    // Unchecked: see the rule above.

    /// How objects reach the client.
    enum Client {
        case stream(any StreamSink)
        /// A long poll, and when it is answered without any objects, in milliseconds of the monotonic clock.
        case poll(any ReplySink, deadline: UInt64)
    }

    let client: Client
    /// Whose turns it takes.
    let clientKey: ClientKey
    let request: OutboxRequest
    /// Behind which object the client stands.
    var cursor: OutboxCursor
    /// When something was last sent, in milliseconds of the monotonic clock.
    var lastSent = monotonicMilliseconds()

    init(
        _ client: Client, _ clientKey: ClientKey, _ request: OutboxRequest,
        behind cursor: OutboxCursor
    ) {
        self.client = client
        self.clientKey = clientKey
        self.request = request
        self.cursor = cursor
    }

    /// Whether nobody is there any more.
    var isGone: Bool {
        switch client {
        case .stream(let stream): stream.isClosed
        case .poll(let sink, _): sink.isGone
        }
    }

    /// Whether the client has read enough to be sent more.
    var hasRoom: Bool {
        switch client {
        case .stream(let stream): stream.queuedByteCount < stream.queueByteCountMax / 2
        case .poll: true
        }
    }

    /// Has `body` run once, on any thread, when the client has read enough to be sent bytes of a number, or has gone.
    func whenReady(for byteCount: Int, _ body: @escaping @Sendable () -> Void) {
        guard case .stream(let stream) = client else { return body() }
        stream.whenReady(for: byteCount, body)
    }

    /// Whether a heartbeat is due, because nothing was sent for so long.
    func needsHeartbeat(_ now: UInt64, heartbeatSeconds: Int) -> Bool {
        guard case .stream = client else { return false }
        return now >= lastSent + UInt64(heartbeatSeconds) * 1000
    }

    /// Sends the text of an event that moves the client to a position; false when there was no room.
    func send(_ bytes: SharedBytes, through position: OutboxCursor) -> Bool {
        guard case .stream(let stream) = client else { return true }
        if case .full = stream.send(bytes) { return false }
        cursor = position
        lastSent = monotonicMilliseconds()
        return true
    }

    /// Ends what the client waits for with an error.
    func fail(_ fault: RequestFault, _ events: StreamEvents) {
        switch client {
        case .stream(let stream):
            stream.end(sending: events.error(fault))
        case .poll(let sink, _): sink.fail(fault)
        }
    }

    /// Answers a request that waited in vain, or ends a stream.
    func end() {
        switch client {
        case .stream(let stream): stream.end()
        case .poll(let sink, _):
            let buffer = ByteBuffer(capacity: 64)
            buffer.append("{\"objects\":[],\"through\":\"\(cursor)\"}")
            sink.reply(SharedBytes(buffer))
        }
    }
}
