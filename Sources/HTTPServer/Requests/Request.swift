import Threads

/// One request: its method, target, headers and body.
///
/// Handlers read it on the connection's thread; after `.later`, the thread that answers may read it
/// until it answers. Pieces of it (``RequestText``, ``body``) point into its memory. One object
/// serves the requests of a connection one after the other, unless somebody keeps a reference.
// @unchecked: the connection's thread writes all fields before the handler runs; from then until
// the answer they are constant, and the hand-over to another thread goes through a lock.
package final class Request: @unchecked Sendable {
    /// Where the request stands.
    enum Phase {
        /// The head is here, the body not yet.
        case receiving
        /// The reply is decided, and the rest of the body is being dropped.
        case refused
        /// An exchange is to answer.
        case waiting
        /// The reply is on its way.
        case replied
        /// The request is over.
        case finished
    }

    let connection: Connection
    var phase = Phase.receiving
    var target = Target()
    var requestBody = RequestBody()
    var route = -1
    /// What refuses the request, while `phase` is `.refused`.
    var refusal: Response?
    var drained = 0
    var upload: (any UploadSink)?
    var inflater: GzipReader?
    var bodyLimit = Int.max
    var requestIDText: RequestText?
    var sequence = 0
    var status: UInt16 = 0
    var sentByteCount = 0
    var receivedByteCount = 0
    /// Whether nothing behind the request is read any more.
    var closesEarly = false
    /// Whether the reply became an event stream, which is counted when it ends.
    var isDetached = false

    /// Whether the thread that was to answer may still read the request.
    var isShared = false
    /// The grant whose end ends the wait for an answer.
    var waitingGrant: Grant?

    /// What admitted the request; nil when its exchange ends for nobody.
    package var grant: Grant?
    /// The method; `.head` also when a GET route answers it.
    package internal(set) var method = Method.other
    /// Nanoseconds of the monotonic clock when the head was complete.
    package internal(set) var startedAt: UInt64 = 0
    /// Whether the client speaks HTTP/1.1 (else 1.0).
    package internal(set) var isHTTP11 = true

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Makes the object ready for the connection's next request.
    ///
    /// - Returns: False without memory for the target.
    func begin(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        phase = .receiving
        route = -1
        drained = 0
        status = 0
        sentByteCount = 0
        receivedByteCount = 0
        closesEarly = false
        isDetached = false
        bodyLimit = Int.max
        requestIDText = nil
        grant = nil
        waitingGrant = nil
        isShared = false
        method = .other
        startedAt = monotonicNanoseconds()
        return target.load(text)
    }

    /// Tells the sink of an upload, if there is one, that nothing will follow.
    func abortUpload() {
        upload?.abort()
        upload = nil
    }

    /// Drops what the next request of the connection must not see.
    func end() {
        phase = .finished
        refusal = nil
        upload = nil
        inflater = nil
        requestIDText = nil
        grant = nil
        waitingGrant = nil
        requestBody.reset()
    }

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

    /// The body, complete and decompressed, followed by 64 readable zero bytes.
    package var body: UnsafeRawBufferPointer { requestBody.buffer }

    /// The position of the route in the server's table; -1 before routing.
    package var routeNumber: Int { route }

    /// The host, with a port if there is one, that the request is for: that of an absolute-form target, else the field
    /// Host (RFC 9112, section 3.2.2); nil when there is neither.
    package var host: RequestText? { target.authority ?? header(.host) }

    /// The first header of that name, not copied; nil when there is none. Cost: a pass over the
    /// headers.
    package func header(_ name: HeaderName) -> RequestText? {
        phase == .finished ? nil : connection.head.value(name)
    }

    /// All headers of that name, in order.
    package func headers(_ name: HeaderName) -> [RequestText] {
        var found: [RequestText] = []
        if phase != .finished { connection.head.forEach(name) { found.append($0) } }
        return found
    }

    /// The client's address and port, such as `127.0.0.1:50312`.
    package var client: String { connection.peer }

    /// The id that ties log lines and the reply to this request: the client's `X-Request-Id` when
    /// it is sane, else one of ours.
    package var id: String { withRequestID { String(decoding: $0, as: UTF8.self) } }
}
