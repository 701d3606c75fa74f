/// Whether a sink can take more at once.
package enum UploadFlow: Sendable {
    case more
    /// The piece was taken, but no more is wanted until ``Upload/resume()``. Nothing is read from the client meanwhile: TCP makes
    /// it wait.
    case wait
    /// The upload is refused; the rest is dropped (up to a bound, then the connection is closed).
    case refuse(Response)
}

/// Takes a streamed request body.
///
/// When the request's admission ends (``Upload/ending``), the sink ends the upload itself, because only the sink knows how much
/// of the body was processed.
///
/// Thread rule: all calls come from the connection's thread, one after the other; exactly one of `finish` and `abort` is the
/// last.
package protocol UploadSink: AnyObject, Sendable {
    /// Takes a piece as it was sent, compressed if `Content-Encoding` says so. The bytes are valid only during the call.
    func receive(_ bytes: UnsafeRawBufferPointer) -> UploadFlow
    /// The body is complete: decides the reply, like a handler.
    func finish() -> Outcome
    /// The client left, or the body was broken or refused: nothing will follow.
    func abort()
}

/// The decision of a streamed route on a request after its headers have arrived.
package enum UploadStart: Sendable {
    case accept(any UploadSink)
    case refuse(Response)
}

/// The handle by which a sink's owner lets a waiting upload go on.
package final class Upload: Sendable {
    private let request: Request
    private let admission: Admission?

    init(_ request: Request) {
        self.request = request
        admission = request.admission
    }

    /// The reason why the request may not go on; nil while its admission is valid. Any thread.
    package var ending: ServerFault? { admission?.ending.map { Server.accessEnded($0) } }

    /// Ends the current `.wait`, or the one that is just being returned. Any thread; call it once for each `.wait`.
    package func resume() { request.resume() }

    /// Ends an incomplete upload with the connection's last reply, without waiting for the rest. Any thread.
    package func end(_ reply: Response) { request.interrupt { reply } }
}

/// The decision of a handler.
package enum Outcome: Sendable {
    /// The reply is ready.
    case respond(Response)
    /// The reply comes later, from any thread. The connection is suspended first and the closure called after that, so that no
    /// answer can come too early. The closure runs on the connection's thread and should only hand the exchange over.
    case later(@Sendable (Exchange) -> Void)
}
