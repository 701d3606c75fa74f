import CMicroHTTPD
import Glibc
import Synchronization
import Threads

/// One TCP connection, from its acceptance until libmicrohttpd closes it.
// @unchecked: `request` and the counters belong to the connection's thread; what other threads
// touch is in `waiting` (a mutex) and in atomics. `handle` is used by another thread only while the
// connection is suspended, by the one that ended the wait under that mutex, and libmicrohttpd frees
// no suspended connection.
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

    private enum Wait {
        case nothing
        case answer
        case upload
    }

    /// What goes over the connection piece by piece.
    private enum Transfer {
        case nothing
        /// A body that a sink takes.
        case upload
        /// A reply that is pulled.
        case pull
    }

    private struct State {
        /// Grows with each suspension, so that a late answer cannot meet a later request.
        var ticket: UInt64 = 0
        var wait = Wait.nothing
        var answer: Answer?
        /// `resume()` came before the `.wait` it belongs to.
        var mayContinue = false
        var transfer = Transfer.nothing
        /// What the present exchange ends with.
        var grant: Grant?
        /// Whether the reply that is sent piece by piece has taken too long.
        var isOverdue: (@Sendable () -> Bool)?
        /// An upload whose grant has ended was seen before.
        var isUploadEnding = false
        var isClosed = false
    }

    let server: Server
    let handle: OpaquePointer
    let socket: Int32
    /// 48 random bits: the first part of request ids.
    let identity: UInt64
    /// The peer as `address:port`, `[address]:port` for IPv6.
    let peer: String
    /// The object that serves this connection's requests, one after the other.
    var request: Request?
    private var requestCount = 0
    /// Monotonic nanoseconds by which headers or body must be complete; 0 for none.
    let deadline = Atomic<UInt64>(0)
    /// Set by the watch when the deadline passed: the reply is 408.
    let isExpired = Atomic<Bool>(false)
    private let waiting = Mutex(State())

    init(_ server: Server, _ handle: OpaquePointer, identity: UInt64) {
        self.server = server
        self.handle = handle
        self.identity = identity
        socket = shim_connection_socket(handle)
        peer = shim_connection_address(handle).map(describe) ?? "unknown"
        // A client that connects and says nothing has as long for its first request line.
        deadline.store(
            monotonicNanoseconds() + UInt64(server.options.headerTimeoutSeconds) * 1_000_000_000,
            ordering: .relaxed)
        var on: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The request object for the request that begins now. Connection thread.
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

    /// Suspends the connection until an answer comes, or `grant` ends. Connection thread, inside a
    /// handler.
    ///
    /// - Returns: The ticket of the exchange, or nil when the server no longer lets anyone wait.
    func suspendForAnswer(_ grant: Grant?) -> UInt64? {
        waiting.withLock { state in
            guard server.allowsSuspension else { return nil }
            state.ticket += 1
            state.wait = .answer
            state.answer = nil
            state.transfer = .nothing
            state.grant = grant
            MHD_suspend_connection(handle)
            return state.ticket
        }
    }

    /// Stores the answer and resumes the connection. Any thread.
    @discardableResult
    func answer(_ ticket: UInt64, _ answer: Answer) -> Bool {
        let isTaken = waiting.withLock { state in
            guard state.ticket == ticket, case .answer = state.wait, !state.isClosed else {
                return false
            }
            state.wait = .nothing
            state.answer = answer
            return true
        }
        // Outside of the lock, which the connection's thread takes as soon as it is woken. Whoever
        // ended the wait is the only one to resume, and until then the connection stays suspended and
        // is not freed.
        if isTaken { MHD_resume_connection(handle) }
        return isTaken
    }

    /// The answer that resumed the connection. Connection thread.
    func takeAnswer() -> Answer? {
        waiting.withLock { state in state.answer.take() }
    }

    /// Whether the exchange with `ticket` has no client any more. Any thread.
    func isGone(_ ticket: UInt64) -> Bool {
        waiting.withLock { state in
            guard state.ticket == ticket, case .answer = state.wait, !state.isClosed else {
                return true
            }
            return shim_is_peer_closed(socket) != 0
        }
    }

    // MARK: Back-pressure of uploads

    /// A ticket for the upload that begins. Connection thread.
    func beginUpload(_ grant: Grant?) -> UInt64 {
        waiting.withLock { state in
            state.ticket += 1
            state.mayContinue = false
            state.transfer = .upload
            state.grant = grant
            state.isUploadEnding = false
            return state.ticket
        }
    }

    /// Suspends the connection until ``resumeUpload(_:)``, unless that came already.
    func suspendForUpload() {
        waiting.withLock { state in
            if state.mayContinue || !server.allowsSuspension {
                state.mayContinue = false
                return
            }
            if case .upload = state.wait { return }
            state.wait = .upload
            MHD_suspend_connection(handle)
        }
    }

    /// Whether an upload waits, so that libmicrohttpd must keep the piece it offers.
    var isUploadWaiting: Bool {
        waiting.withLock { if case .upload = $0.wait { true } else { false } }
    }

    /// Lets an upload go on. Any thread.
    func resumeUpload(_ ticket: UInt64) {
        waiting.withLock { state in
            guard state.ticket == ticket, !state.isClosed else { return }
            if case .upload = state.wait {
                state.wait = .nothing
                MHD_resume_connection(handle)
            } else {
                state.mayContinue = true
            }
        }
    }

    // MARK: The end of a grant

    /// Notes that a reply is sent piece by piece for as long as `grant` holds, or until it is overdue.
    /// Connection thread.
    func beginPull(_ grant: Grant?, until isOverdue: (@Sendable () -> Bool)?) {
        waiting.withLock { state in
            state.transfer = .pull
            state.grant = grant
            state.isOverdue = isOverdue
        }
    }

    /// Ends the exchange if its grant has ended: a wait is answered, a reply that is being sent is cut, an
    /// upload refused. A reply that is overdue is cut, too. Any thread; called again as long as the exchange goes on.
    func endAccess() {
        waiting.withLock { state in
            guard !state.isClosed else { return }
            if case .pull = state.transfer, let isOverdue = state.isOverdue, isOverdue() {
                shutdown(socket, Int32(SHUT_RDWR))
                return
            }
            guard state.grant?.ending != nil else { return }
            if case .answer = state.wait {
                state.wait = .nothing
                state.answer = .accessEnded
                MHD_resume_connection(handle)
                return
            }
            switch state.transfer {
            case .nothing: return
            case .pull: shutdown(socket, Int32(SHUT_RDWR))
            case .upload:
                if case .upload = state.wait {
                    state.wait = .nothing
                    MHD_resume_connection(handle)
                }
                // The next piece is refused. Where none comes for a second, the end of the client's
                // data does it.
                if state.isUploadEnding { shutdown(socket, Int32(SHUT_RD)) }
                state.isUploadEnding = true
            }
        }
    }

    // MARK: The end

    /// Ends every wait, because the server stops: an exchange is answered 503. Any thread.
    func cancelWait() {
        waiting.withLock { state in
            guard !state.isClosed else { return }
            switch state.wait {
            case .nothing: return
            case .answer: state.answer = .stopping
            case .upload: break
            }
            state.wait = .nothing
            MHD_resume_connection(handle)
        }
    }

    /// Ends the current request's claims. Connection thread.
    func requestEnded() {
        let left = waiting.withLock { state in
            state.ticket += 1
            state.wait = .nothing
            state.transfer = .nothing
            state.grant = nil
            state.isOverdue = nil
            return state.answer.take()
        }
        // Released here and not under the lock: it may hold the last reference to an exchange.
        _ = left
    }

    /// Libmicrohttpd is about to close the socket. Connection thread.
    func closed() {
        waiting.withLock { $0.isClosed = true }
        requestEnded()
        request = nil
    }

    /// Wakes libmicrohttpd when the client has closed its side. Any thread.
    ///
    /// In 0.9.75 a short read counts as "no more to read", also when the client's data and its end
    /// came together; the end is then noticed only at the idle time-out. Shutting the receiving
    /// side, which is closed anyway, makes a new event.
    func noticeDeparture() {
        waiting.withLock { state in
            guard !state.isClosed, case .nothing = state.wait else { return }
            if shim_is_peer_closed(socket) != 0 { shutdown(socket, Int32(SHUT_RD)) }
        }
    }

    /// Cuts the receiving side of a connection whose request comes too slowly. Any thread.
    func expire() {
        waiting.withLock { state in
            guard !state.isClosed, case .nothing = state.wait else { return }
            isExpired.store(true, ordering: .releasing)
            shutdown(socket, Int32(SHUT_RD))
        }
    }
}
