import Synchronization

/// A reply body that other threads push, such as server-sent events.
///
/// The queue is bounded in bytes: beyond the bound `send` refuses, and the owner decides what to fold. When a handler returns the
/// stream (``Response/init(events:)``), the thread that serves all streams takes over its socket. So an idle stream holds no
/// buffer and no connection memory, and a client that closes its socket is noticed at once.
package final class EventStream: Sendable {
    /// The outcome of ``send(_:)``.
    package enum Sent: Sendable {
        case queued
        /// The queue is full; nothing was taken.
        case full
        /// The stream was ended or its client is gone; nothing was taken.
        case closed
    }

    private struct Piece {
        let bytes: Bytes
        /// Whether the next piece was queued together with it.
        let goesOn: Bool
    }

    private struct State {
        var queue: [Piece] = []
        /// Whether the piece that was taken last continues with the first remaining piece.
        var isWithin = false
        /// Bytes that are queued, or taken and not sent yet.
        var byteCount = 0
        /// Bytes of the last `take`.
        var takenByteCount = 0
        var isEnded = false
        var isClosed = false
        /// Whether the loop knows that there is something to write.
        var isScheduled = false
        var socket: StreamSocket?
        var onClose: (@Sendable () -> Void)?
        /// The callbacks that wait until at most `byteCount` bytes are queued.
        var waiting: [(byteCount: Int, body: @Sendable () -> Void)] = []
    }

    /// The bound of the queue, in bytes.
    package let queueByteCountMax: Int
    private let state: Mutex<State>

    /// Creates a stream that is not sent yet. Pieces that are queued before it is sent go out first.
    ///
    /// - Parameters:
    ///   - queueByteCountMax: The bound of the queue, in bytes.
    ///   - onClose: Runs exactly once, when the stream is over for any reason.
    package init(queueByteCountMax: Int = 1 << 20, onClose: @escaping @Sendable () -> Void = {}) {
        self.queueByteCountMax = queueByteCountMax
        state = Mutex(State(onClose: onClose))
    }

    /// Queues bytes, which may be shared with other streams. Any thread. Cost: a lock, and a wake-up of the streams' thread when
    /// it sleeps.
    ///
    /// A piece that is larger than the whole bound is taken when the queue is empty.
    package func send(_ bytes: Bytes) -> Sent { send(all: CollectionOfOne(bytes)) }

    /// Queues either all pieces or nothing, as ``send(_:)``.
    package func send(all pieces: some Collection<Bytes>) -> Sent {
        let byteCount = pieces.reduce(0) { $0 + $1.count }
        let (sent, socket) = state.withLock { state -> (Sent, StreamSocket?) in
            if state.isEnded || state.isClosed { return (.closed, nil) }
            if state.byteCount > 0, state.byteCount + byteCount > queueByteCountMax {
                return (.full, nil)
            }
            var left = byteCount
            for bytes in pieces where bytes.count > 0 {
                left -= bytes.count
                state.queue.append(Piece(bytes: bytes, goesOn: left > 0))
            }
            state.byteCount += byteCount
            return (.queued, EventStream.schedule(&state))
        }
        if let socket { socket.loop.wake(for: socket) }
        return sent
    }

    /// Ends the stream after the queued pieces. Any thread; more calls do nothing.
    package func end() { end(sending: Bytes("")) }

    /// Ends the stream after the queued pieces and `last`, which always has room.
    package func end(sending last: Bytes) { end(last, inPlaceOfQueue: false) }

    /// Ends the stream with `last` in place of the queued pieces; a group of pieces that has begun is sent to its end first. Any
    /// thread.
    func end(with last: Bytes) { end(last, inPlaceOfQueue: true) }

    private func end(_ last: Bytes, inPlaceOfQueue: Bool) {
        let (dropped, socket) = state.withLock { state -> ([Piece], StreamSocket?) in
            if state.isClosed || state.isEnded && !inPlaceOfQueue { return ([], nil) }
            var dropped: [Piece] = []
            if inPlaceOfQueue {
                swap(&dropped, &state.queue)
                if state.isWithin {
                    state.queue +=
                        dropped.prefix { $0.goesOn } + dropped.drop { $0.goesOn }.prefix(1)
                }
                state.byteCount =
                    state.takenByteCount + state.queue.reduce(0) { $0 + $1.bytes.count }
            }
            if last.count > 0 {
                state.queue.append(Piece(bytes: last, goesOn: false))
                state.byteCount += last.count
            }
            state.isEnded = true
            return (dropped, EventStream.schedule(&state))
        }
        // Released here and not under the lock.
        _ = dropped
        if let socket { socket.loop.wake(for: socket) }
    }

    /// Runs `body` once when at most `byteCount` bytes are queued, or the stream is over: at once, or later on the streams'
    /// thread, which it must not block. Any thread.
    package func whenQueued(atMost byteCount: Int, _ body: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            if state.isClosed || state.byteCount <= byteCount { return true }
            state.waiting.append((byteCount, body))
            return false
        }
        if isDue { body() }
    }

    /// Bytes that wait to be sent.
    package var queuedByteCount: Int { state.withLock { $0.byteCount } }

    /// Whether nothing more can be sent.
    package var isClosed: Bool { state.withLock { $0.isClosed || $0.isEnded } }

    private static func schedule(_ state: inout State) -> StreamSocket? {
        guard !state.isScheduled, let socket = state.socket else { return nil }
        state.isScheduled = true
        return socket
    }

    // MARK: The loop's side

    /// Binds the stream to its socket. Returns false when it already has one.
    func attach(_ socket: StreamSocket) -> Bool {
        state.withLock { state in
            guard state.socket == nil, !state.isClosed else { return false }
            state.socket = socket
            state.isScheduled = true
            return true
        }
    }

    /// Moves up to `limit` queued bytes (whole pieces, at least one) to `sink`. The call means that the pieces of the call before
    /// have been sent.
    ///
    /// - Returns: Whether the stream is ended and the queue is empty. When false and nothing was moved, the next `send` wakes the
    ///   loop.
    func take(upTo limit: Int, _ sink: (Bytes) -> Void) -> Bool {
        let (isOver, due) = state.withLock { state in
            var (count, moved) = (0, 0)
            state.byteCount -= state.takenByteCount
            while count < state.queue.count, moved < limit {
                let piece = state.queue[count]
                count += 1
                moved += piece.bytes.count
                state.isWithin = piece.goesOn
                sink(piece.bytes)
            }
            state.takenByteCount = moved
            // An idle stream keeps no memory for its queue.
            if count == state.queue.count {
                state.queue = []
            } else {
                state.queue.removeFirst(count)
            }
            if moved == 0 { state.isScheduled = false }
            let byteCount = state.byteCount
            let due = state.waiting.filter { byteCount <= $0.byteCount }
            if !due.isEmpty { state.waiting.removeAll { byteCount <= $0.byteCount } }
            return (moved == 0 && state.isEnded, due)
        }
        for one in due { one.body() }
        return isOver
    }

    /// Closes a stream that is over: drops its queue and notifies the owner, once.
    func close() {
        let (onClose, waiting, queue, socket) = state.withLock { state in
            state.isClosed = true
            let left = (state.onClose.take(), state.waiting, state.queue, state.socket.take())
            state.waiting = []
            state.queue = []
            state.byteCount = 0
            return left
        }
        onClose?()
        for one in waiting { one.body() }
        _ = (queue, socket)
    }

    /// Closes a stream that has no socket because its reply is not sent.
    func closeUnlessAttached() {
        if state.withLock({ $0.socket == nil }) { close() }
    }

    deinit { close() }
}

/// The body of a reply that is pushed. When its last reference goes, a stream without a socket is closed.
package final class EventBody: Sendable {
    let stream: EventStream

    init(_ stream: EventStream) { self.stream = stream }

    deinit { stream.closeUnlessAttached() }
}
