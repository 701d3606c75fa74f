/// Decides a request whose body (if the route takes one) is complete.
///
/// Thread rule: runs on the connection's thread and must not block; answer `.later` for work that
/// waits.
package typealias Handler = @Sendable (Request) -> Outcome

/// One operation: a method, a path pattern, a name and what answers.
package struct Route: Sendable {
    /// The use that a route makes of a request body.
    package enum Body: Sendable {
        /// None is expected; a small one is dropped.
        case none
        /// Collected before the handler runs.
        case buffered
        /// Given to a sink as it comes. The closure runs when the headers are here.
        case streamed(@Sendable (Request, Upload) -> UploadStart)
    }

    package let method: Method
    /// Such as `/v1/classes/{class}/objects/{id}`. `{name}` matches one segment that is not empty,
    /// a last `{name*}` one or more.
    package let pattern: String
    /// The name in the contract, in metrics and in the access log.
    package let operationID: String
    package let body: Body
    /// Whether a GET route answers HEAD too: the handler runs, and the body is not sent.
    package let answersHead: Bool
    /// Whether a request changes no data, so that it may be refused when its reply is made already.
    package let isForReading: Bool
    /// The most bytes of a body that is collected, where that is less than the server takes.
    let bodyByteCountMax: Int
    let handler: Handler

    /// A route without a body, or with one that is collected; a GET is for reading where that is not said.
    package init(
        _ method: Method, _ pattern: String, _ operationID: String, body: Body = .none,
        answersHead: Bool = true, isForReading: Bool? = nil, bodyByteCountMax: Int = .max,
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.operationID = operationID
        self.body = body
        self.answersHead = answersHead
        self.isForReading = isForReading ?? (method == .get)
        self.bodyByteCountMax = bodyByteCountMax
        self.handler = handler
    }

    /// A route whose body is streamed; the sink's `finish` decides the reply.
    package init(
        _ method: Method, _ pattern: String, _ operationID: String,
        streaming start: @escaping @Sendable (Request, Upload) -> UploadStart
    ) {
        self.init(
            method, pattern, operationID, body: .streamed(start), answersHead: false
        ) { _ in .respond(Response(500)) }
    }
}
