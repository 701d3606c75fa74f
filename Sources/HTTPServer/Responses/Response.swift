/// A reply: a status, header fields and a body.
///
/// `Content-Length`, `Date`, `Connection`, `Vary`, `X-Request-Id`, compression and the fields of
/// CORS are the server's; everything else is set here.
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
        /// They are counted, and compressed.
        case compressed
    }

    /// The status code (RFC 9110, section 15).
    ///
    /// A 304 that is given the bytes of the 200 sends their length and no body, as RFC 9110, section
    /// 8.6, wants it; without them libmicrohttpd says `Content-Length: 0`, which clients ignore.
    package var status: UInt16
    package var contentType: ContentType?
    package var headers = Headers()
    package var body: Body
    /// What was done with large bytes, by the thread that made them.
    var preparation = Preparation.none

    /// A reply without a body.
    package init(_ status: UInt16) {
        self.status = status
        body = .empty
    }

    /// A reply with bytes that are complete.
    package init(_ status: UInt16, _ contentType: ContentType, _ bytes: Bytes) {
        self.status = status
        self.contentType = contentType
        body = .bytes(bytes)
    }

    /// A reply with a text; for small ones, since it is copied.
    package init(_ status: UInt16, _ contentType: ContentType, _ text: String) {
        self.init(status, contentType, Bytes(text))
    }

    /// A reply whose body `source` produces while it is sent.
    ///
    /// - `isOverdue`: Asked once a second, on the thread of sockets: true cuts the connection, so that
    ///   the client sees that the body is not whole. It must not block.
    package init(
        _ status: UInt16, _ contentType: ContentType, pulling source: some PullSource,
        until isOverdue: (@Sendable () -> Bool)? = nil
    ) {
        self.status = status
        self.contentType = contentType
        body = .pull(PullBody(source, until: isOverdue))
    }

    /// A stream of server-sent events (status 200, `text/event-stream`, never stored or compressed), which is closed
    /// where the reply is not sent.
    package init(events stream: EventStream) {
        status = 200
        contentType = .eventStream
        body = .events(EventBody(stream))
        headers.add(.cacheControl, "no-store")
    }

    /// The same reply with one more header field.
    package consuming func with(_ name: HeaderName, _ value: String) -> Response {
        headers.add(name, value)
        return self
    }
}

/// A media type, and whether text of that type gets smaller by compression.
package struct ContentType: Sendable {
    /// The field's value, such as `"application/json"`.
    package let text: StaticString
    /// Whether replies of this type are offered gzip.
    package let isCompressible: Bool

    /// A type that is not listed here.
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
