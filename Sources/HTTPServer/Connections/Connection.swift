import CHoldfastEpoll
import CHoldfastMicroHTTPD
import Glibc
import HoldfastThreads
import Synchronization

/// One TCP connection, from its acceptance until libmicrohttpd closes it.
// @unchecked: `headBegan` and `isStream` belong to the connection's thread, and `replyRate` to the thread of sockets. State that other threads
// use is in `current` (a mutex) and in atomics.
final class Connection: @unchecked Sendable {
    private struct Current {
        /// The object that serves this connection's requests, one after the other.
        var request: Request?
        /// The number of requests that have sent their complete request line.
        var requestCount = 0
        /// The bytes of the next request's head.
        var nextHead = NextHead(isFirst: true)
        var isClosed = false
    }

    let server: Server
    let handle: OpaquePointer
    let socket: Int32
    /// A number that no other connection of the server has; its last 48 bits are the first part of request ids.
    let identity: UInt64
    /// The peer as `address:port`, `[address]:port` for IPv6.
    let peer: String
    /// The time when bytes of the present request's head were first noticed, before its line was complete, in monotonic nanoseconds; 0 if never.
    private var headBegan: UInt64 = 0
    /// Whether the socket became an event stream.
    var isStream = false
    /// Monotonic nanoseconds by which head or body must be complete; 0 for none.
    private let deadline = Atomic<UInt64>(0)
    /// Whether the client has shut its sending side.
    private let isShut = Atomic<Bool>(false)
    /// Whether it was asked since whether it still reads.
    private let isAsked = Atomic<Bool>(false)
    private let current = Mutex(Current())
    /// Belongs to the thread of sockets.
    private var replyRate = ReplyRate()

    init(_ server: Server, _ handle: OpaquePointer, identity: UInt64) {
        self.server = server
        self.handle = handle
        self.identity = identity
        socket = shim_connection_socket(handle)
        peer = shim_connection_address(handle).map(describe) ?? "unknown"
        // A client that connects and says nothing has as long for its first request line.
        expect(within: server.options.headerTimeoutSeconds, since: monotonicNanoseconds())
        var on: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: The connection's thread

    /// The request object for the request that begins: the last one, unless somebody keeps that.
    func nextRequest() -> Request {
        current.withLock { current in
            headBegan = current.nextHead.began
            current.requestCount += 1
            current.nextHead = NextHead(isFirst: false)
            if isKnownUniquelyReferenced(&current.request), let request = current.request {
                request.sequence = current.requestCount
                return request
            }
            let fresh = Request(self)
            fresh.sequence = current.requestCount
            current.request = fresh
            return fresh
        }
    }

    /// Begins the time that a client has for a head after its line is complete. The time runs from the head's first byte, if that byte was noticed.
    func expectHead(since start: UInt64) {
        expect(
            within: server.options.headerTimeoutSeconds, since: headBegan == 0 ? start : headBegan)
    }

    /// Begins the time that a client has for a head or a body.
    func expect(within seconds: Int, since start: UInt64) {
        deadline.store(start &+ UInt64(seconds) &* 1_000_000_000, ordering: .relaxed)
    }

    /// Ends that time, because all is here.
    func expectNothing() { deadline.store(0, ordering: .relaxed) }

    /// The request is over.
    func endRequest(_ reason: MHD_RequestTerminationCode) {
        completeRequest(reason)
        releaseRequest()
    }

    /// Without a place in its caller, which must hold no reference to the request behind it.
    @inline(never)
    private func completeRequest(_ reason: MHD_RequestTerminationCode) {
        expectNothing()
        if let request = current.withLock({ $0.request }) { server.complete(request, reason) }
    }

    /// Gives the memory of a request back that is over, or leaves it to those who still read it.
    private func releaseRequest() {
        current.withLock { current in
            if isKnownUniquelyReferenced(&current.request) {
                current.request?.reset()
            } else {
                current.request = nil
            }
        }
        // See `noticeShut`.
        if isShut.load(ordering: .acquiring) { shutdown(socket, Int32(SHUT_RD)) }
    }

    /// libmicrohttpd is about to close the socket.
    func closed() {
        current.withLock { current in
            current.isClosed = true
            current.request = nil
        }
        if !isStream { linger() }
    }

    /// Leaves a copy of the socket to the thread that waits until the client has read its last reply, unless that has left:
    /// what it sends until then would have a reset for an answer, which takes the reply with it.
    private func linger() {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard count > 0 || (count < 0 && errno == EAGAIN) else { return }
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { server.loop?.post(.linger(copy)) }
    }

    /// Prepares for the end of a wait whose client has shut its sending side. Call it while the request's state is locked.
    ///
    /// When a suspended connection goes on, libmicrohttpd first reads, meets the end of the client's bytes, and closes it
    /// without a reply; but it asks those with a time-out of their own for their answer before that (`MHD_epoll` in
    /// daemon.c, 0.9.75 and 1.0.1).
    func prepareToAnswer() {
        guard isShut.load(ordering: .acquiring) else { return }
        shim_set_timeout(handle, UInt32(server.options.idleTimeoutSeconds) + 1)
    }

    // MARK: Other threads

    /// Whether the client reads no more, as far as can be told. For a connection that is suspended.
    ///
    /// A client that shut its sending side alone still reads its reply; one that has closed its socket cannot be told from it
    /// until something is sent. So an interim reply is sent once, which every client of HTTP/1.1 reads over (RFC 9110,
    /// section 15.2): a closed socket answers with a reset.
    func hasLeft(isHTTP11: Bool) -> Bool {
        guard isShut.load(ordering: .acquiring) else { return false }
        guard isHTTP11, !shim_is_broken(socket) else { return true }
        if !isAsked.exchange(true, ordering: .relaxed) {
            let text: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
            let sent = send(socket, text.utf8Start, text.utf8CodeUnitCount, sendFlags)
            // Too full to ask, or cut in the middle of a line.
            if sent > 0, sent < text.utf8CodeUnitCount { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        return false
    }

    /// Takes notice of a client that has shut its sending side.
    ///
    /// In libmicrohttpd 0.9.75 a short read counts as "no more to read", also when the client's bytes and their end came
    /// together; the end is then noticed only at the idle time-out. Shutting the receiving side, which is closed anyway,
    /// makes it look again. Bytes that were received before are still read.
    func noticeShut() {
        current.withLock { current in
            guard !current.isClosed else { return }
            isShut.store(true, ordering: .releasing)
            if current.request?.noticeShut() ?? true { shutdown(socket, Int32(SHUT_RD)) }
        }
    }

    /// Ends requests that take too long and replies whose access has ended. Called once a second.
    func watch(_ now: UInt64) {
        current.withLock { current in
            guard !current.isClosed else { return }
            let time = deadline.load(ordering: .relaxed)
            let isLate = time != 0 && now > time
            guard let request = current.request, !request.state.withLock(\.isIdle) else {
                if isLate || isNextHeadLate(&current.nextHead, now) {
                    shutdown(socket, Int32(SHUT_RD))
                }
                return
            }
            if isLate { request.interrupt { server.lateReply() } }
            request.state.withLock { apply($0.watch { server.accessEnded($0) }) }
            if request.state.withLock(\.isSendingWithoutLimit), isReadTooSlowly(request, now) {
                server.metrics.slowReplies.wrappingAdd(1, ordering: .relaxed)
                apply(.shut)
            }
        }
    }

    private func isNextHeadLate(_ head: inout NextHead, _ now: UInt64) -> Bool {
        let time = UInt64(server.options.headerTimeoutSeconds) &* 1_000_000_000
        head.look(at: now, every: time / 8) { shim_received_bytes(socket) }
        return head.began != 0 && now > head.began &+ time
    }

    private func isReadTooSlowly(_ request: Request, _ now: UInt64) -> Bool {
        let options = server.options
        return replyRate.isTooSlow(
            request.sequence, at: now, byteRateMin: options.replyByteRateMin,
            over: options.replyRateSeconds
        ) {
            ReplyRate.Progress(
                acknowledgedByteCount: shim_acknowledged_bytes(socket),
                isWaiting: shim_has_unacknowledged(socket))
        }
    }

    /// Ends what is received or waits, because the server stops.
    func stop() {
        current.withLock { current in
            if !current.isClosed { current.request?.interrupt { server.stoppingReply() } }
        }
    }

    /// Does to the connection what an interruption of its request wants.
    func apply(_ interruption: RequestState.Interruption) {
        if interruption.contains(.shut) { shutdown(socket, Int32(SHUT_RDWR)) }
        if interruption.contains(.shutReceiving) { shutdown(socket, Int32(SHUT_RD)) }
        if interruption.contains(.resume) { MHD_resume_connection(handle) }
    }
}

/// The bytes of a request's head that arrive before its line is complete. libmicrohttpd does not report them.
///
/// Bytes that a connection receives while it has no request belong to the next request. The count is read at intervals, so the first byte is noticed
/// late by at most one interval.
struct NextHead {
    /// The time when bytes were first noticed, in nanoseconds of the monotonic clock; 0 if no bytes have arrived.
    private(set) var began: UInt64 = 0
    /// The bytes that the connection had received when it was looked at last; nil before that.
    private var byteCount: UInt64?
    private var lookedAt: UInt64 = 0

    /// Describes the head of a connection's next request.
    ///
    /// - `isFirst`: Whether the connection has received no bytes yet. If it has, bytes that arrive before the first look may belong to the
    ///   previous request, and count only when more bytes follow.
    init(isFirst: Bool) { byteCount = isFirst ? 0 : nil }

    /// Looks for bytes, unless that was done within the interval. Call it while the connection has no request.
    ///
    /// - `receivedByteCount`: The bytes that the connection has received so far.
    mutating func look(
        at now: UInt64, every interval: UInt64, _ receivedByteCount: () -> UInt64
    ) {
        guard began == 0, now &- lookedAt >= interval else { return }
        lookedAt = now
        let count = receivedByteCount()
        if let byteCount, count > byteCount { began = now }
        byteCount = count
    }
}

/// The least rate at which a client has to read its reply, so that it is not kept for one that takes a byte a minute.
struct ReplyRate {
    /// The state of a connection's sending.
    struct Progress {
        /// Bytes that the client has acknowledged since the connection began.
        let acknowledgedByteCount: UInt64
        /// Whether more was sent than that.
        let isWaiting: Bool
    }

    /// The request whose reply is measured, and where it stood when that began.
    private var sequence = 0
    private var measuredAt: UInt64 = 0
    private var acknowledgedByteCount: UInt64 = 0

    /// Whether a client read less than `byteRateMin` bytes a second over the last `seconds`. A reply whose next piece
    /// is not made yet is not its client's fault.
    ///
    /// - `sequence`: The number of the request on its connection.
    /// - `now`: Nanoseconds of the monotonic clock.
    /// - `progress`: Asked once each `seconds`.
    mutating func isTooSlow(
        _ sequence: Int, at now: UInt64, byteRateMin: Int, over seconds: Int,
        _ progress: () -> Progress
    ) -> Bool {
        let isFirst = sequence != self.sequence
        let elapsed = now &- measuredAt
        guard isFirst || elapsed >= UInt64(seconds) * 1_000_000_000 else { return false }
        let progress = progress()
        let read = progress.acknowledgedByteCount &- acknowledgedByteCount
        self.sequence = sequence
        measuredAt = now
        acknowledgedByteCount = progress.acknowledgedByteCount
        guard !isFirst, progress.isWaiting else { return false }
        return Double(read) < Double(byteRateMin) * Double(elapsed) / 1e9
    }
}
