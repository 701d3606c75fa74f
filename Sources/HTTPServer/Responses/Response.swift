/// A reply: a status, header fields and a body.
///
/// The server sets `Content-Length`, `Date`, `Connection`, `Vary`, `X-Request-Id`, compression and the fields of CORS. Everything
/// else is set here.
package struct Response: Sendable {
    package enum Body: Sendable {
        case empty
        /// Handed to libmicrohttpd without a copy.
        case bytes(Bytes)
        /// Pulled piece by piece on the connection's thread, in bounded memory.
        case pull(PullBody)
        /// Pushed by other threads until the stream ends. Its status is always 200.
        case events(EventBody)
    }

    enum Preparation: Sendable {
        case none
        /// The bytes are counted as memory.
        case counted
        /// The bytes are counted as memory, and compressed.
        case compressed
    }

    /// The status code (RFC 9110, section 15).
    ///
    /// A 304 that has the bytes of the 200 sends their length and no body, as RFC 9110, section 8.6, requires. Without them
    /// libmicrohttpd sends `Content-Length: 0`, which clients ignore.
    package var status: UInt16
    package var contentType: ContentType?
    package var headers = Headers()
    package var body: Body
    /// The preparation of large bytes by the thread that made them.
    var preparation = Preparation.none

    /// Creates a reply without a body.
    package init(_ status: UInt16) {
        self.status = status
        body = .empty
    }

    /// Creates a reply with complete bytes.
    package init(_ status: UInt16, _ contentType: ContentType, _ bytes: Bytes) {
        self.status = status
        self.contentType = contentType
        body = .bytes(bytes)
    }

    /// Creates a reply with a text. The text is copied, so it should be small.
    package init(_ status: UInt16, _ contentType: ContentType, _ text: String) {
        self.init(status, contentType, Bytes(text))
    }

    /// Creates a reply with a body that `source` produces while it is sent.
    ///
    /// - `byteCount`: The body's length, if it is known: it is sent with `Content-Length`, unless it is compressed.
    /// - `isOverdue`: Called once a second, on the thread of sockets. If it returns true, the connection is cut, so that the
    ///   client sees that the body is incomplete. It must not block.
    package init(
        _ status: UInt16, _ contentType: ContentType, pulling source: some PullSource,
        byteCount: Int? = nil, until isOverdue: (@Sendable () -> Bool)? = nil
    ) {
        self.status = status
        self.contentType = contentType
        body = .pull(PullBody(source, byteCount: byteCount, until: isOverdue))
    }

    /// Creates a stream of server-sent events (status 200, `text/event-stream`, never stored or compressed). The stream is closed
    /// if the reply is not sent.
    package init(events stream: EventStream) {
        status = 200
        contentType = .eventStream
        body = .events(EventBody(stream))
        headers.add(.cacheControl, "no-store")
    }

    /// Returns the reply with one more header field.
    package consuming func with(_ name: HeaderName, _ value: String) -> Response {
        headers.add(name, value)
        return self
    }
}

/// A media type, and whether text of that type gets smaller by compression.
package struct ContentType: Sendable {
    /// The field's value, such as `"application/json"`.
    package let text: StaticString
    /// Whether replies of this type may be compressed.
    package let isCompressible: Bool

    /// Creates a type that is not listed here.
    package init(_ text: StaticString, isCompressible: Bool) {
        self.text = text
        self.isCompressible = isCompressible
    }

    package static let json = ContentType("application/json", isCompressible: true)
    package static let problem = ContentType("application/problem+json", isCompressible: true)
    package static let ndjson = ContentType("application/x-ndjson", isCompressible: true)
    package static let geoJSON = ContentType("application/geo+json", isCompressible: true)
    package static let csv = ContentType("text/csv; charset=utf-8", isCompressible: true)
    package static let text = ContentType("text/plain; charset=utf-8", isCompressible: true)
    /// The text format of Prometheus.
    package static let metrics = ContentType(
        "text/plain; version=0.0.4; charset=utf-8", isCompressible: true)
    package static let eventStream = ContentType("text/event-stream", isCompressible: false)
    package static let bytes = ContentType("application/octet-stream", isCompressible: false)
}
