import CHoldfastMicroHTTPD
import HoldfastThreads
import Synchronization

/// A request: its method, target, headers and body.
///
/// The object owns its memory: target, headers and body stay valid as long as a reference to it exists, even if its connection is
/// gone. Pieces (``RequestText``, ``body``) point into this memory. One object serves the requests of a connection one after the
/// other, unless a reference to it is kept.
// @unchecked: the connection's thread writes everything that handlers read before they run, and it does not change after that;
// the hand-over to another thread goes through a lock. `state` is a mutex.
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
    /// The `Content-Length`; 0 if there is none.
    var announcedByteCount: UInt64 = 0
    /// Whether the body comes in chunks.
    var isChunked = false

    /// The admission whose end also ends the exchange; nil if no end of access concerns the request.
    private(set) var admission: Admission?
    /// The grant that admitted the request; nil if no end of access concerns the request.
    package var grant: Grant? {
        get { admission?.grant }
        set { admission = newValue.map { Admission($0) } }
    }
    /// The method; `.head` also when a GET route answers it.
    package internal(set) var method = Method.other
    /// Nanoseconds of the monotonic clock when the request line was complete.
    package internal(set) var startedAt: UInt64 = 0
    /// Whether the client speaks HTTP/1.1 (otherwise 1.0).
    package internal(set) var isHTTP11 = true

    init(_ connection: Connection) {
        self.connection = connection
        requestBody = RequestBody(in: connection.server.metrics.messageMemory)
    }

    /// Prepares the object for the connection's next request.
    ///
    /// - Returns: False if there is no memory for the target.
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

    /// Makes the exchange end with the present epoch of work, too, once it is admitted.
    package func end(with epoch: WorkEpoch) { admission?.end(with: epoch) }

    /// Makes the exchange outlive the epoch of work, because it handles the end of the epoch itself.
    package func outliveEpochs() { admission?.outliveEpochs() }

    /// Ends the sink of an upload, if there is one, without further pieces.
    func abortUpload() {
        upload?.abort()
        upload = nil
    }

    /// Drops the parts of a request that is over, which the connection's next request must not see.
    func reset() {
        inflater = nil
        admission = nil
        requestBody.reset()
    }

    /// Whether a body follows the head.
    var hasBody: Bool { isChunked || announcedByteCount > 0 }

    /// The target as it was received, including the query.
    package var rawTarget: RequestText { target.raw }

    /// The path as it was received, without the scheme and host of an absolute-form target.
    package var rawPath: RequestText {
        RequestText(UnsafeBufferPointer(rebasing: target.raw.bytes[target.path]))
    }

    /// The decoded path segments: `/a/b%2Fc` has `a` and `b/c`.
    package var segments: ContiguousArray<RequestText> { target.segments }

    /// Returns the path parameter number `index`, in the order of the route's pattern; for a rest, its first segment (see
    /// ``rest``).
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

    /// The query parameters in the order of the target, including repeats. `+` is a blank.
    package var query: ContiguousArray<(name: RequestText, value: RequestText)> { target.query }

    /// Whether there is a query parameter. Cost: no reference is counted.
    package var hasQuery: Bool { !target.query.isEmpty }

    /// The body, complete and decompressed, followed by 64 readable zero bytes.
    package var body: UnsafeRawBufferPointer { requestBody.buffer }

    /// The position of the route in the server's table; -1 before routing.
    package var routeNumber: Int { route }

    /// The host that the request is for, with a port if there is one: the host of an absolute-form target, otherwise the field
    /// Host (RFC 9112, section 3.2.2); nil if both are missing.
    package var host: RequestText? { target.authority ?? header(.host) }

    /// Whether an origin is the request's own host with a scheme such as `http://`.
    package func isForHost(of origin: RequestText, _ scheme: StaticString) -> Bool {
        guard let host else { return false }
        return origin.hasPrefix(scheme)
            && origin.bytes.dropFirst(scheme.utf8CodeUnitCount).elementsEqual(host.bytes)
    }

    /// Returns the first header with a name, not copied; nil if there is none. Cost: a pass over the headers.
    package func header(_ name: HeaderName) -> RequestText? { fields.first(name) }

    /// Returns all headers with a name, in order.
    package func headers(_ name: HeaderName) -> [RequestText] {
        var found: [RequestText] = []
        fields.forEach(name) { found.append($0) }
        return found
    }

    /// The id that connects log lines and the reply with this request: the client's `X-Request-Id` if it is valid, otherwise an
    /// id of the server.
    package var id: String { withRequestID { String(decoding: $0, as: UTF8.self) } }
}

// Events of a request: each changes its state under its lock, and calls libmicrohttpd there.
//
// Only the thread that ended a wait resumes a connection, and libmicrohttpd frees no suspended connection.
extension Request {
    // MARK: The connection's thread

    /// Suspends the connection until ``resume()``, unless that was called already or the request has ended.
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

    /// Suspends the connection until an exchange answers, or `admission` ends. Returns false if the request has ended.
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
        // Done after the lock, because the state may hold the last reference to an exchange.
        return left.end(lateReply)
    }

    // MARK: Any thread

    /// Lets a paused body go on.
    func resume() {
        state.withLock { state in
            // Done under the lock: libmicrohttpd may pass on the next piece before it has left the call that paused, and a pause
            // for that piece must not come between.
            if state.resume() { MHD_resume_connection(connection.handle) }
        }
    }

    /// Answers the request, unless it was answered before. Returns false if the request no longer waits.
    @discardableResult
    func answer(_ answer: RequestState.Answer) -> Bool {
        let isTaken = state.withLock { $0.answer(answer) }
        // Done after the lock, which the connection's thread takes as soon as it is woken.
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

    /// Notes that the client has shut its sending side.
    ///
    /// - Returns: Whether the connection ends as a result, because libmicrohttpd is reading.
    func noticeShut() -> Bool {
        state.withLock { state in
            // A client that has closed its socket answers with a reset, which arrives before ``isGone`` is read.
            if state.isWaiting {
                _ = connection.hasLeft(isHTTP11: isHTTP11)
                connection.prepareToAnswer()
            }
            return state.isReading
        }
    }

    /// Ends a request that is being received or waits, with `reply` in place of its own.
    func interrupt(_ reply: () -> Response) {
        state.withLock { connection.apply($0.interrupt(reply)) }
    }

    /// The client's address. If the peer is a trusted proxy (``ServerOptions/trustedProxies``) that reports its client, this is
    /// that client's address without a port. Otherwise it is the peer with its port, such as `127.0.0.1:50312`.
    package var client: String {
        let trusted = connection.server.options.trustedProxies
        return trusted.isEmpty ? connection.peer : forwarder(trusted) ?? connection.peer
    }

    /// Returns the last address before the trusted proxies; nil if there is none.
    ///
    /// Each proxy appends the address of its client. So addresses before the first untrusted one may be invented.
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

    /// The longest `X-Request-Id` that is accepted.
    static let requestIDByteCountMax = 128

    /// Takes the client's id if it is valid. Otherwise the id is twelve hexadecimal digits of the connection and the number of
    /// the request on it, so that log lines of one connection can be recognized.
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

    /// Calls `body` with the id's bytes. Nothing is allocated.
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
/// libmicrohttpd closes a connection without an answer when a reply's head does not fit, even if the reply is a refusal. So
/// requests that leave no room for a reply are refused without libmicrohttpd, and a field of a reply that does not fit is left
/// out.
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

    /// Returns the memory that is left for the head of a reply.
    ///
    /// - Parameters:
    ///   - headByteCount: The bytes of the request's line and fields.
    ///   - recordCount: The number of the request's records.
    ///   - byteCount: The memory of the connection.
    /// - Returns: The bytes that are left; zero or less if the request has used all of the memory.
    static func room(behind headByteCount: Int, recordCount: Int, in byteCount: Int) -> Int {
        byteCount - headByteCount - recordCount * recordByteCount
    }

    /// Returns the bytes of that memory that a handler's fields may use.
    static func fieldRoom(in replyRoom: Int) -> Int { replyRoom - ownByteCountMax }
}
