/// An error that the server itself answers, before or instead of a handler.
package struct ServerFault: Error, Equatable {
    /// The reason. The raw value is the stable code in the reply's body.
    package enum Code: String, Sendable {
        case badTarget = "bad-target"
        case badEscape = "bad-escape"
        case badEncoding = "bad-encoding"
        case badHeader = "bad-header"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case requestTimeout = "request-timeout"
        case bodyTooLarge = "body-too-large"
        case targetTooLong = "target-too-long"
        case unsupportedEncoding = "unsupported-content-encoding"
        case headersTooLarge = "headers-too-large"
        case internalError = "internal-error"
        case messageMemoryExceeded = "message-memory-exceeded"
        case tooManyConnections = "too-many-connections"
        case stopping = "stopping"
        case accessEnded = "access-ended"
    }

    package let status: UInt16
    package let code: Code
    /// A sentence for a person: the mistake and the remedy.
    package let detail: String
    /// The path that was probably meant.
    package let hint: String?

    package init(_ status: UInt16, _ code: Code, _ detail: String, hint: String? = nil) {
        self.status = status
        self.code = code
        self.detail = detail
        self.hint = hint
    }

    /// Makes the default body: a problem document (RFC 9457).
    package static func problem(_ fault: ServerFault) -> Response {
        Response(
            fault.status, .problem, Bytes(problem: fault.status, fault.code.rawValue, fault.detail))
    }
}
