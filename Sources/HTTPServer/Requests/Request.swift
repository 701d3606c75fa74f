import CHoldfastMicroHTTPD
import HoldfastThreads
import Synchronization

/// One request: its method, target, headers and body.
///
/// All of it is its own: target, headers and body stay as long as somebody refers to it, whatever becomes of its connection.
/// Pieces of it (``RequestText``, ``body``) point into its memory. One object serves the requests of a connection one after
/// the other, unless somebody keeps a reference.
// @unchecked: the connection's thread writes all that handlers read before they run, and nobody changes it after that; the
// hand-over to another thread goes through a lock. `state` is a mutex.
package final class Request: @unchecked Sendable {
    let connection: Connection
    let state = Mutex(RequestState.idle)
    var target = Target()
    var fields = RequestFields()
    var requestBody: RequestBody
    var route = -1
    var drained = 0
    var upload: (any UploadSink)?
    var inflater: GzipReader?
    var bodyLimit = Int.max
    var requestIDText: RequestText?
    var sequence = 0
    var status: UInt16 = 0
    var sentByteCount = 0
    var receivedByteCount = 0
    /// The bytes that the request's head leaves for the reply's head, see ``HeadMemory``.
    var replyRoom = 0
    /// The `Content-Length`; 0 without one.
    var announcedByteCount: UInt64 = 0
    /// Whether the body comes in chunks.
    var isChunked = false

    /// The admission of the request, which ends its exchange; nil for a request that no end of access concerns.
    private(set) var admission: Admission?
    /// The grant that admitted the request; nil for a request that no end of access concerns.
    package var grant: Grant? {
        get { admission?.grant }
        set { admission = newValue.map { Admission($0) } }
    }
    /// The method; `.head` also when a GET route answers it.
    package internal(set) var method = Method.other
    /// Nanoseconds of the monotonic clock when the request line was complete.
    package internal(set) var startedAt: UInt64 = 0
    /// Whether the client speaks HTTP/1.1 (else 1.0).
    package internal(set) var isHTTP11 = true

    init(_ connection: Connection) {
        self.connection = connection
        requestBody = RequestBody(in: connection.server.metrics.messageMemory)
    }

    /// Makes the object ready for the connection's next request.
    ///
    /// - Returns: False without memory for the target.
    func begin(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        state.withLock { $0.begin() }
        route = -1
        drained = 0
        status = 0
        sentByteCount = 0
        receivedByteCount = 0
        announcedByteCount = 0
        replyRoom = HeadMemory.usualByteCount
        isChunked = false
        bodyLimit = Int.max
        requestIDText = nil
        admission = nil
        method = .other
        startedAt = monotonicNanoseconds()
        fields.removeAll()
        return target.load(text)
    }

    /// Has the exchange end with the present epoch of work, too, once it is admitted.
    package func end(with epoch: WorkEpoch) { admission?.end(with: epoch) }

    /// Has the exchange go on beyond the epoch of work, as it knows by itself what follows from that.
    package func outliveEpochs() { admission?.outliveEpochs() }

    /// Tells the sink of an upload, if there is one, that nothing will follow.
    func abortUpload() {
        upload?.abort()
        upload = nil
    }

    /// Drops what a request that is over does not need; the next one of the connection must not see it.
    func reset() {
        inflater = nil
        admission = nil
        requestBody.reset()
    }

    /// Whether a body follows the head.
    var hasBody: Bool { isChunked || announcedByteCount > 0 }

    /// The target as it was received, query included.
    package var rawTarget: RequestText { target.raw }

    /// The path as it was received.
    package var rawPath: RequestText {
        RequestText(UnsafeBufferPointer(rebasing: target.raw.bytes[0..<target.pathCount]))
    }

    /// The decoded path segments: `/a/b%2Fc` has `a` and `b/c`.
    package var segments: ContiguousArray<RequestText> { target.segments }

    /// The path parameter number `index`, in the order they stand in the route's pattern; for a
    /// rest, its first segment (see ``rest``).
    package func parameter(_ index: Int) -> RequestText {
        target.segments[connection.server.router.segment(ofParameter: index, route: route)]
    }

    /// The segments that a last `{name*}` matched.
    package var rest: ArraySlice<RequestText> {
        guard let first = connection.server.router.lastParameterSegment(route: route) else {
            return []
        }
        return ArraySlice(target.segments[first...])
    }

    /// The query parameters in the order they stand, repeats included. `+` is `+`.
    package var query: ContiguousArray<(name: RequestText, value: RequestText)> { target.query }

    /// Whether there is a query parameter. Cost: no count of a reference.
    package var hasQuery: Bool { !target.query.isEmpty }

    /// The body, complete and decompressed, followed by 64 readable zero bytes.
    package var body: UnsafeRawBufferPointer { requestBody.buffer }

    /// The position of the route in the server's table; -1 before routing.
    package var routeNumber: Int { route }

    /// The host, with a port if there is one, that the request is for: that of an absolute-form target, else the field
    /// Host (RFC 9112, section 3.2.2); nil when there is neither.
    package var host: RequestText? { target.authority ?? header(.host) }

    /// Whether an origin is that of the request's own host under a scheme, such as `http://`.
    package func isForHost(of origin: RequestText, _ scheme: StaticString) -> Bool {
        guard let host else { return false }
        return origin.hasPrefix(scheme)
            && origin.bytes.dropFirst(scheme.utf8CodeUnitCount).elementsEqual(host.bytes)
    }

    /// The first header of that name, not copied; nil when there is none. Cost: a pass over the
    /// headers.
    package func header(_ name: HeaderName) -> RequestText? {
        fields.first(name)
    }

    /// All headers of that name, in order.
    package func headers(_ name: HeaderName) -> [RequestText] {
        var found: [RequestText] = []
        fields.forEach(name) { found.append($0) }
        return found
    }

    /// The id that ties log lines and the reply to this request: the client's `X-Request-Id` when
    /// it is sane, else one of ours.
    package var id: String { withRequestID { String(decoding: $0, as: UTF8.self) } }
}

// What happens to a request: the change of its state under its lock, and what libmicrohttpd is told of it there.
//
// Nobody but the thread that ended a wait resumes a connection, and libmicrohttpd frees no suspended one.
extension Request {
    // MARK: The connection's thread

    /// Suspends the connection until ``resume()``, unless that came already or the request has ended.
    func pause() {
        state.withLock { state in
            if connection.server.allowsWaiting, state.pause() {
                MHD_suspend_connection(connection.handle)
            }
        }
    }

    /// Refuses the request.
    ///
    /// - Returns: Whether the refusal is to be sent at once, as the connection's last reply.
    func refuse(_ response: Response, readsBody: Bool) -> Bool {
        state.withLock { state in
            let refusal = state.refuse(response, readsBody: readsBody)
            if case .read(resumes: true) = refusal { MHD_resume_connection(connection.handle) }
            return refusal == .sendNow
        }
    }

    /// Suspends the connection until an exchange answers, or `admission` ends. Returns false when the request has ended.
    func wait(until admission: Admission?) -> Bool {
        state.withLock { state in
            guard connection.server.allowsWaiting else { return false }
            state.wait(until: admission)
            MHD_suspend_connection(connection.handle)
            connection.prepareToAnswer()
            return true
        }
    }

    /// Ends the request.
    ///
    /// - `lateReply`: The reply to a request that libmicrohttpd has given up as too slow.
    func end(_ lateReply: Response?) -> RequestState.Ending {
        var left = RequestState.idle
        state.withLock { swap(&$0, &left) }
        // Behind the lock, since it may hold the last reference to an exchange.
        return left.end(lateReply)
    }

    // MARK: Any thread

    /// Lets a paused body go on.
    func resume() {
        state.withLock { state in
            // Under the lock: libmicrohttpd may hand on the next piece before it has left the call that paused, and a pause for
            // that piece may not come between.
            if state.resume() { MHD_resume_connection(connection.handle) }
        }
    }

    /// Answers the request, unless it was answered before. Returns false when its client has left.
    @discardableResult
    func answer(_ answer: RequestState.Answer) -> Bool {
        let isTaken = state.withLock { $0.answer(answer) }
        // Outside of the lock, which the connection's thread takes as soon as it is woken.
        if isTaken { MHD_resume_connection(connection.handle) }
        return isTaken
    }

    /// Whether the request needs no answer any more.
    var isGone: Bool {
        state.withLock { state in
            // The connection is suspended, so that its socket stays open.
            !state.isWaiting || connection.hasLeft(isHTTP11: isHTTP11)
        }
    }

    /// Takes notice of a client that has shut its sending side.
    ///
    /// - Returns: Whether the connection ends with it, since libmicrohttpd reads.
    func noticeShut() -> Bool {
        state.withLock { state in
            // One that has left altogether answers with a reset, which is seen before anybody asks.
            if state.isWaiting {
                _ = connection.hasLeft(isHTTP11: isHTTP11)
                connection.prepareToAnswer()
            }
            return state.isReading
        }
    }

    /// Ends what is received or waits, with a reply in place of the request's own.
    func interrupt(_ reply: () -> Response) {
        state.withLock { connection.apply($0.interrupt(reply)) }
    }

    /// The client's address: with its port, such as `127.0.0.1:50312`, where it is the other end of the connection; without,
    /// where that is a proxy that is trusted (``ServerOptions/trustedProxies``) and says whose request it passes on.
    package var client: String {
        let trusted = connection.server.options.trustedProxies
        return trusted.isEmpty ? connection.peer : forwarder(trusted) ?? connection.peer
    }

    /// The last address before the trusted proxies; nil when there is none between.
    ///
    /// Each proxy adds the address that it was asked from at the end, so that what is before the first one that isn't trusted could be
    /// anybody's.
    private func forwarder(_ trusted: [AddressRange]) -> String? {
        func isTrusted(_ address: IPAddress) -> Bool { trusted.contains { $0.contains(address) } }
        guard let peer = IPAddress(connection.peer), isTrusted(peer) else { return nil }
        var last: IPAddress?
        for field in headers(.xForwardedFor).reversed() {
            for part in field.string.split(separator: ",").reversed() {
                let text = part.trimmingPrefix { $0 == " " || $0 == "\t" }
                    .prefix { $0 != " " && $0 != "\t" }
                guard let address = IPAddress(String(text)) else { return last?.clientText }
                last = address
                if !isTrusted(address) { return address.clientText }
            }
        }
        return last?.clientText
    }

    /// The longest `X-Request-Id` that is taken over.
    static let requestIDByteCountMax = 128

    /// Takes the client's id if it is sane, else makes one: twelve hexadecimal digits of the
    /// connection and the number of the request on it, so that lines of one connection are seen
    /// to belong together.
    func decideRequestID() {
        requestIDText = header(.requestID).flatMap { Request.isSane($0) ? $0 : nil }
    }

    private static func isSane(_ text: RequestText) -> Bool {
        guard text.count >= 1, text.count <= requestIDByteCountMax else { return false }
        return text.bytes.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"),
                UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "~"):
                true
            default: false
            }
        }
    }

    /// Gives the id's bytes without an allocation.
    package func withRequestID<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let requestIDText { return body(requestIDText.bytes) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { buffer in
            var count = 0
            var shift = 44
            while shift >= 0 {
                let digit = UInt8(truncatingIfNeeded: connection.identity >> UInt64(shift) & 15)
                buffer[count] = digit < 10 ? 0x30 + digit : 0x57 + digit
                count += 1
                shift -= 4
            }
            buffer[count] = UInt8(ascii: "-")
            count += 1
            let start = count
            var rest = sequence
            repeat {
                buffer[count] = 0x30 + UInt8(rest % 10)
                rest /= 10
                count += 1
            } while rest > 0
            buffer[start..<count].reverse()
            return body(UnsafeBufferPointer(rebasing: buffer[0..<count]))
        }
    }
}

/// The memory that libmicrohttpd has for a connection: a request's head, a record for each field, and then the head of the reply.
///
/// libmicrohttpd closes a connection without an answer when a reply's head does not fit, even if the reply is a refusal. So requests that leave
/// no room for a reply are refused without libmicrohttpd, and a field of a reply that does not fit is left out.
enum HeadMemory {
    /// Bytes of a record (`struct MHD_HTTP_Header`).
    static let recordByteCount = 64
    /// The minimum of memory for the head of a reply, in bytes.
    static let replyByteCountMin = 2 << 10
    /// The memory in addition to a request's head of the largest size, in bytes.
    static let besideHeadByteCount = 8 << 10
    /// The memory of a connection for heads of the usual size.
    static let usualByteCount = 24 << 10
    /// The largest number of bytes that the server itself adds to a reply's head.
    private static let ownByteCountMax = 1 << 10

    /// Counts the memory that is left for the head of a reply.
    ///
    /// - Parameters:
    ///   - headByteCount: The bytes of the request's line and fields.
    ///   - recordCount: The number of the request's records.
    ///   - byteCount: The memory of the connection.
    /// - Returns: The bytes that are left; zero or less if the request has used all of the memory.
    static func room(behind headByteCount: Int, recordCount: Int, in byteCount: Int) -> Int {
        byteCount - headByteCount - recordCount * recordByteCount
    }

    /// The bytes of that which a handler's fields may have.
    static func fieldRoom(in replyRoom: Int) -> Int { replyRoom - ownByteCountMax }
}
