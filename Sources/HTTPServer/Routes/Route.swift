/// Handles a request after its body (if the route takes one) is complete.
///
/// Thread rule: runs on the connection's thread and must not block; answer `.later` for work that waits.
package typealias Handler = @Sendable (Request) -> Outcome

/// An operation: a method, a path pattern, a name and the handler.
package struct Route: Sendable {
    /// The use that a route makes of a request body.
    package enum Body: Sendable {
        /// No body is expected; a small one is dropped.
        case none
        /// The body is collected before the handler runs.
        case buffered
        /// The body is given to a sink as it arrives. The closure runs when the headers have arrived.
        case streamed(@Sendable (Request, Upload) -> UploadStart)
    }

    package let method: Method
    /// A pattern such as `/v1/classes/{class}/objects/{id}`. `{name}` matches one segment that is not empty; a last `{name*}`
    /// matches one or more.
    package let pattern: String
    /// The name in the contract, in metrics and in the access log.
    package let operationID: String
    package let body: Body
    /// Whether a GET route answers HEAD too: the handler runs, and the body is not sent.
    package let answersHead: Bool
    /// Whether a request changes no data, so that it may still be refused when its reply has been made.
    package let isForReading: Bool
    /// The most bytes of a collected body, if that is less than the server's limit.
    let bodyByteCountMax: Int
    /// The next step after a body beyond that bound, as a sentence; empty for none.
    let bodyAdvice: String
    let handler: Handler

    /// Creates a route without a body, or with one that is collected. By default only a GET is for reading.
    package init(
        _ method: Method, _ pattern: String, _ operationID: String, body: Body = .none,
        answersHead: Bool = true, isForReading: Bool? = nil, bodyByteCountMax: Int = .max,
        bodyAdvice: String = "", _ handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.operationID = operationID
        self.body = body
        self.answersHead = answersHead
        self.isForReading = isForReading ?? (method == .get)
        self.bodyByteCountMax = bodyByteCountMax
        self.bodyAdvice = bodyAdvice
        self.handler = handler
    }

    /// Creates a route with a streamed body; the sink's `finish` decides the reply.
    package init(
        _ method: Method, _ pattern: String, _ operationID: String,
        streaming start: @escaping @Sendable (Request, Upload) -> UploadStart
    ) {
        self.init(
            method, pattern, operationID, body: .streamed(start), answersHead: false
        ) { _ in .respond(Response(500)) }
    }
}
