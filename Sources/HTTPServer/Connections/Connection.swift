import CHoldfastEpoll
import CHoldfastMicroHTTPD
import Glibc
import HoldfastThreads
import Synchronization

/// One TCP connection, from its acceptance until libmicrohttpd closes it.
// @unchecked: `headBegan` and `isStream` belong to the connection's thread, `replyRate` to the thread of sockets. State that
// other threads use is in `current` (a mutex) and in atomics.
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
    /// The monotonic time in nanoseconds when bytes of the present request's head were first noticed, before its line was
    /// complete; 0 if never.
    private var headBegan: UInt64 = 0
    /// Whether the socket became an event stream.
    var isStream = false
    /// The monotonic time in nanoseconds by which head or body must be complete; 0 for no limit.
    private let deadline = Atomic<UInt64>(0)
    /// Whether the client has shut its sending side.
    private let isShut = Atomic<Bool>(false)
    /// Whether an interim reply was sent to find out if the client still reads.
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
        // A client that connects and sends nothing has this time for its first request line.
        expect(within: server.options.headerTimeoutSeconds, since: monotonicNanoseconds())
        var on: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: The connection's thread

    /// Returns the request object for the request that begins: the last one, unless another part still refers to it.
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

    /// Begins the time limit for the rest of a head after its line. The time runs from the head's first byte, if that byte was
    /// noticed.
    func expectHead(since start: UInt64) {
        expect(
            within: server.options.headerTimeoutSeconds, since: headBegan == 0 ? start : headBegan)
    }

    /// Begins the time limit for a head or a body.
    func expect(within seconds: Int, since start: UInt64) {
        deadline.store(start &+ UInt64(seconds) &* 1_000_000_000, ordering: .relaxed)
    }

    /// Ends the time limit, because everything has arrived.
    func expectNothing() { deadline.store(0, ordering: .relaxed) }

    /// Completes a request that is over.
    func endRequest(_ reason: MHD_RequestTerminationCode) {
        completeRequest(reason)
        releaseRequest()
    }

    /// Not inlined, because the caller's frame must hold no reference to the request afterwards.
    @inline(never)
    private func completeRequest(_ reason: MHD_RequestTerminationCode) {
        expectNothing()
        if let request = current.withLock({ $0.request }) { server.complete(request, reason) }
    }

    /// Returns the memory of a request that is over, or leaves the request to the parts that still refer to it.
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

    /// Prepares for the socket's end: libmicrohttpd is about to close it.
    func closed() {
        current.withLock { current in
            current.isClosed = true
            current.request = nil
        }
        if !isStream { linger() }
    }

    /// Hands a copy of the socket to the thread of sockets, unless the client has left. The thread keeps the copy open until the
    /// client has read its last reply: with a closed socket, bytes that the client still sends would be answered by a reset,
    /// which discards the reply.
    private func linger() {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        guard count > 0 || (count < 0 && errno == EAGAIN) else { return }
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { server.loop?.post(.linger(copy)) }
    }

    /// Prepares to answer a waiting request if the client has shut its sending side. Call it while the request's state is locked.
    ///
    /// When a suspended connection resumes, libmicrohttpd first reads, finds the end of the client's bytes, and closes the
    /// connection without a reply. It asks connections that have a time-out of their own for their answer before that
    /// (`MHD_epoll` in daemon.c, 0.9.75 and 1.0.1).
    func prepareToAnswer() {
        guard isShut.load(ordering: .acquiring) else { return }
        shim_set_timeout(handle, UInt32(server.options.idleTimeoutSeconds) + 1)
    }

    // MARK: Other threads

    /// Whether the client has stopped reading, as far as this can be known. For a connection that is suspended.
    ///
    /// A client that has shut only its sending side still reads its reply. A client that has closed its socket looks the same
    /// until something is sent. So one interim reply is sent, which every client of HTTP/1.1 skips (RFC 9110, section 15.2): a
    /// closed socket answers with a reset.
    func hasLeft(isHTTP11: Bool) -> Bool {
        guard isShut.load(ordering: .acquiring) else { return false }
        guard isHTTP11, !shim_is_broken(socket) else { return true }
        if !isAsked.exchange(true, ordering: .relaxed) {
            let text: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
            let sent = send(socket, text.utf8Start, text.utf8CodeUnitCount, sendFlags)
            // A line that is cut in the middle would spoil the reply. If nothing was sent, the buffer was full.
            if sent > 0, sent < text.utf8CodeUnitCount { shutdown(socket, Int32(SHUT_RDWR)) }
        }
        return false
    }

    /// Notes that the client has shut its sending side.
    ///
    /// In libmicrohttpd 0.9.75 a short read counts as "no more to read", also when the client's bytes and their end came
    /// together; the end is then noticed only at the idle time-out. Shutting the receiving side, which is closed anyway, makes it
    /// look again. Bytes that were received before are still read.
    func noticeShut() {
        current.withLock { current in
            guard !current.isClosed else { return }
            isShut.store(true, ordering: .releasing)
            if current.request?.noticeShut() ?? true { shutdown(socket, Int32(SHUT_RD)) }
        }
    }

    /// Ends requests that take too long and replies that the client may no longer receive. Called once a second.
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

    /// Ends a request that is being received or waits, because the server stops.
    func stop() {
        current.withLock { current in
            if !current.isClosed { current.request?.interrupt { server.stoppingReply() } }
        }
    }

    /// Applies an interruption of the request to the connection.
    func apply(_ interruption: RequestState.Interruption) {
        if interruption.contains(.shut) { shutdown(socket, Int32(SHUT_RDWR)) }
        if interruption.contains(.shutReceiving) { shutdown(socket, Int32(SHUT_RD)) }
        if interruption.contains(.resume) { MHD_resume_connection(handle) }
    }
}

/// The bytes of a request's head that arrive before its line is complete. libmicrohttpd does not report them.
///
/// Bytes that a connection receives while it has no request belong to the next request. The count is read at intervals, so the
/// first byte is noticed late by at most one interval.
struct NextHead {
    /// The time when bytes were first noticed, in nanoseconds of the monotonic clock; 0 if no bytes have arrived.
    private(set) var began: UInt64 = 0
    /// The number of bytes that the connection had received at the last look; nil before the first.
    private var byteCount: UInt64?
    private var lookedAt: UInt64 = 0

    /// Describes the head of a connection's next request.
    ///
    /// - `isFirst`: Whether the connection has received no bytes yet. If it has, bytes that arrive before the first look may
    ///   belong to the previous request, and count only when more bytes follow.
    init(isFirst: Bool) { byteCount = isFirst ? 0 : nil }

    /// Looks for bytes, unless it has looked within the interval. Call it while the connection has no request.
    ///
    /// - `receivedByteCount`: The number of bytes that the connection has received so far.
    mutating func look(at now: UInt64, every interval: UInt64, _ receivedByteCount: () -> UInt64) {
        guard began == 0, now &- lookedAt >= interval else { return }
        lookedAt = now
        let count = receivedByteCount()
        if let byteCount, count > byteCount { began = now }
        byteCount = count
    }
}

/// The least rate at which a client has to read its reply, so that a client that takes a byte a minute does not keep one.
struct ReplyRate {
    /// The state of a connection's sending.
    struct Progress {
        /// Bytes that the client has acknowledged since the connection began.
        let acknowledgedByteCount: UInt64
        /// Whether more bytes were sent than acknowledged.
        let isWaiting: Bool
    }

    /// The request with the measured reply; then the time and the acknowledged bytes at the start of the measurement.
    private var sequence = 0
    private var measuredAt: UInt64 = 0
    private var acknowledgedByteCount: UInt64 = 0

    /// Whether a client read less than `byteRateMin` bytes a second over the last `seconds`. The time that the server takes to
    /// make the next piece is not held against the client.
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
