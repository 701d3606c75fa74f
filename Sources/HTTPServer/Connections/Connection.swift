import Glibc
import Synchronization
import Threads

/// One TCP connection, from its acceptance until it is closed or becomes an event stream.
// @unchecked: everything belongs to the loop's thread but what other threads touch, which is in `waiting` (a mutex) and in
// `isPeerGone` (an atomic). While an exchange waits, its thread reads the request, the head and the input, which nobody changes then;
// nor after an answer in its place, since the connection reads no other request.
final class Connection: @unchecked Sendable {
    /// An answer on its way from the thread that gave it to the connection's thread.
    enum Answer: Sendable {
        case ready(Response)
        case make(@Sendable () -> Response)
        case source(any ResponseSource)
        /// Nobody answered, and nobody can any more.
        case dropped
        /// Nobody waits for one: the connection is closed without a reply.
        case abandoned
        /// The server stops before an answer came.
        case stopping
        /// The grant of the request has ended before an answer came.
        case accessEnded
    }

    /// What the connection does.
    enum Stage {
        /// Waits for a request, or reads its head.
        case head
        case body
        /// Waits for an exchange to answer.
        case waiting
        case sending
        case closed
    }

    private enum Wait {
        case nothing
        case answer
        case upload
    }

    private struct Waiting {
        /// Grows with each wait, so that a late answer cannot meet a later request.
        var ticket: UInt64 = 0
        var wait = Wait.nothing
        var answer: Answer?
        /// `resume()` came before the `.wait` it belongs to.
        var mayContinue = false
    }

    let server: Server
    let loop: ConnectionLoop
    let socket: Int32
    /// 48 random bits: the first part of request ids.
    let identity: UInt64
    /// The peer as `address:port`, `[address]:port` for IPv6.
    let peer: String

    var stage = Stage.head
    /// Whether a read may find something: the loop is told of changes alone.
    var isReadable = false
    var isWritable = true
    /// Whether nothing can be sent any more.
    var isBroken = false
    /// Whether the client has closed its side, or the connection is broken.
    let isPeerGone = Atomic<Bool>(false)

    var input = InputBuffer()
    var head = RequestHead()
    /// The object that serves this connection's requests, one after the other.
    var request: Request?
    private var requestCount = 0
    /// Bytes of a body with a length that are to come.
    var bodyLeft: UInt64 = 0
    var chunks = ChunkReader()

    /// What of the reply the kernel has not taken yet.
    var unsent: StreamFrame?
    /// The body of the reply, while it is sent piece by piece.
    var pull: PullBody?
    /// Whether its pieces are sent as chunks.
    var sendsChunks = false
    /// Whether the reply that is sent is the connection's last.
    var closesAfterReply = false

    /// Monotonic nanoseconds by which head or body must be complete; 0 for none.
    var deadline: UInt64
    /// When bytes came or went last.
    var activeAt: UInt64
    /// Where the loop has it.
    var index = -1
    /// Whether the loop is to go on with it in its next turn.
    var continues = false
    private let waiting = Mutex(Waiting())

    init(_ server: Server, _ loop: ConnectionLoop, socket: Int32, peer: String, identity: UInt64) {
        self.server = server
        self.loop = loop
        self.socket = socket
        self.peer = peer
        self.identity = identity
        activeAt = monotonicNanoseconds()
        // A client that connects and says nothing has as long for its first head.
        deadline = activeAt + UInt64(server.options.headerTimeoutSeconds) * 1_000_000_000
        var on: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The request object for the request that begins now.
    func nextRequest() -> Request {
        requestCount += 1
        if isKnownUniquelyReferenced(&request), let request {
            request.sequence = requestCount
            return request
        }
        let fresh = Request(self)
        fresh.sequence = requestCount
        request = fresh
        return fresh
    }

    // MARK: Waiting for an answer

    /// Begins to wait for an answer.
    ///
    /// - Returns: The ticket of the exchange.
    func beginWait() -> UInt64 {
        stage = .waiting
        return waiting.withLock { state in
            state.ticket += 1
            state.wait = .answer
            state.answer = nil
            return state.ticket
        }
    }

    /// Stores the answer and has the loop go on with it. Any thread.
    ///
    /// - Returns: False when nobody waits for it.
    @discardableResult
    func answer(_ ticket: UInt64, _ answer: Answer) -> Bool {
        let isTaken = waiting.withLock { state in
            guard state.ticket == ticket, case .answer = state.wait else { return false }
            state.wait = .nothing
            state.answer = answer
            return true
        }
        // Outside of the lock, which the loop's thread takes as soon as it is woken.
        if isTaken { loop.post(.resume(self)) }
        return isTaken
    }

    /// Answers in place of those who should, if nobody did yet.
    func answerInstead(_ answer: Answer) {
        let ticket = waiting.withLock { $0.ticket }
        self.answer(ticket, answer)
    }

    /// The answer that ended the wait.
    func takeAnswer() -> Answer? {
        waiting.withLock { state in state.answer.take() }
    }

    /// Whether the exchange with `ticket` has no client any more. Any thread.
    func isGone(_ ticket: UInt64) -> Bool {
        isPeerGone.load(ordering: .relaxed)
            || waiting.withLock { state in
                guard state.ticket == ticket, case .answer = state.wait else { return true }
                return false
            }
    }

    // MARK: Back-pressure of uploads

    /// A ticket for the upload that begins.
    func beginUpload() -> UInt64 {
        waiting.withLock { state in
            state.ticket += 1
            state.mayContinue = false
            return state.ticket
        }
    }

    /// Stops reading until ``resumeUpload(_:)``, unless that came already.
    func pauseUpload() {
        waiting.withLock { state in
            if state.mayContinue {
                state.mayContinue = false
            } else {
                state.wait = .upload
            }
        }
    }

    /// The upload is refused: nobody resumes it, and what is left of the body is read.
    func endUpload() {
        waiting.withLock { state in
            state.ticket += 1
            state.wait = .nothing
            state.mayContinue = false
        }
    }

    /// Whether an upload waits, so that nothing more is read.
    var isUploadPaused: Bool {
        waiting.withLock { if case .upload = $0.wait { true } else { false } }
    }

    /// Lets an upload go on. Any thread.
    func resumeUpload(_ ticket: UInt64) {
        let wasPaused = waiting.withLock { state in
            guard state.ticket == ticket else { return false }
            if case .upload = state.wait {
                state.wait = .nothing
                return true
            }
            state.mayContinue = true
            return false
        }
        if wasPaused { loop.post(.resume(self)) }
    }

    // MARK: The end

    /// Ends a wait for an answer, or for the rest of a body, because the server stops: the request is answered 503.
    func cancelWait() {
        if stage == .waiting {
            answerInstead(.stopping)
        } else if stage == .body, let request {
            server.refuseAtOnce(request, request.refusal ?? server.stoppingReply())
            advance()
        }
    }

    /// Ends the claims of the request: a late answer meets nobody.
    func endRequest() {
        let left = waiting.withLock { state in
            state.ticket += 1
            state.wait = .nothing
            return state.answer.take()
        }
        // Released here and not under the lock: it may hold the last reference to an exchange.
        _ = left
        pull?.close()
        pull = nil
        unsent = nil
        deadline = 0
        if let request, request.phase != .finished { server.complete(request) }
    }

    /// Ends the connection: with its socket, or without, where that goes on as a stream or until the client has read
    /// its last reply.
    func close(keepingSocket: Bool = false) {
        guard stage != .closed else { return }
        stage = .closed
        endRequest()
        request = nil
        loop.remove(self)
        if !keepingSocket { Glibc.close(socket) }
        server.connectionClosed()
    }
}
