/// The name of a header field: a constant of the program, so that setting and finding a field copies nothing. Look-up ignores
/// case (RFC 9110, section 5.1).
package struct HeaderName: Sendable {
    /// The name as it is sent.
    package let text: StaticString

    /// Creates a name that is not listed here. It must be a token: letters, digits and `-`.
    package init(_ text: StaticString) { self.text = text }
}

extension HeaderName {
    package static let accept = HeaderName("Accept")
    package static let acceptEncoding = HeaderName("Accept-Encoding")
    package static let acceptRanges = HeaderName("Accept-Ranges")
    package static let allow = HeaderName("Allow")
    package static let authorization = HeaderName("Authorization")
    package static let cacheControl = HeaderName("Cache-Control")
    package static let connection = HeaderName("Connection")
    package static let contentDisposition = HeaderName("Content-Disposition")
    package static let contentEncoding = HeaderName("Content-Encoding")
    package static let contentLength = HeaderName("Content-Length")
    package static let contentRange = HeaderName("Content-Range")
    package static let contentSecurityPolicy = HeaderName("Content-Security-Policy")
    package static let contentType = HeaderName("Content-Type")
    package static let etag = HeaderName("ETag")
    package static let expect = HeaderName("Expect")
    package static let holdfastSnapshot = HeaderName("Holdfast-Snapshot")
    package static let holdfastVersion = HeaderName("Holdfast-Version")
    package static let host = HeaderName("Host")
    package static let idempotencyKey = HeaderName("Idempotency-Key")
    package static let ifMatch = HeaderName("If-Match")
    package static let ifNoneMatch = HeaderName("If-None-Match")
    package static let ifRange = HeaderName("If-Range")
    package static let lastEventID = HeaderName("Last-Event-ID")
    package static let link = HeaderName("Link")
    package static let location = HeaderName("Location")
    package static let origin = HeaderName("Origin")
    package static let prefer = HeaderName("Prefer")
    package static let preferenceApplied = HeaderName("Preference-Applied")
    package static let range = HeaderName("Range")
    package static let retryAfter = HeaderName("Retry-After")
    package static let transferEncoding = HeaderName("Transfer-Encoding")
    package static let vary = HeaderName("Vary")
    package static let wwwAuthenticate = HeaderName("WWW-Authenticate")
    package static let accelBuffering = HeaderName("X-Accel-Buffering")
    package static let contentTypeOptions = HeaderName("X-Content-Type-Options")
    package static let requestID = HeaderName("X-Request-Id")
    package static let accessControlAllowHeaders = HeaderName("Access-Control-Allow-Headers")
    package static let accessControlAllowMethods = HeaderName("Access-Control-Allow-Methods")
    package static let accessControlAllowOrigin = HeaderName("Access-Control-Allow-Origin")
    package static let accessControlExposeHeaders = HeaderName("Access-Control-Expose-Headers")
    package static let accessControlMaxAge = HeaderName("Access-Control-Max-Age")
    package static let accessControlRequestHeaders = HeaderName("Access-Control-Request-Headers")
    package static let accessControlRequestMethod = HeaderName("Access-Control-Request-Method")
    package static let xForwardedFor = HeaderName("X-Forwarded-For")
}
