import HoldfastThreads
import Synchronization

/// A request that waits, suspended, for its reply.
///
/// Any thread may answer, once. An exchange that is dropped without an answer is answered 500, so that no client waits for ever.
package final class Exchange: Sendable {
    /// The request. Its text, headers and body are valid while a reference to the exchange exists.
    package let request: Request
    /// The time when the request was complete, including its body, in milliseconds of the monotonic clock.
    package let startedAtMilliseconds = monotonicNanoseconds() / 1_000_000
    /// Whether the exchange was answered, so that its `deinit` can skip the request's lock.
    private let isAnswered = Atomic<Bool>(false)

    init(_ request: Request) { self.request = request }

    /// Answers with a reply that is ready. Cost: a lock and a write to an event descriptor.
    ///
    /// - Returns: False when it was answered before, or the server has given it up while stopping.
    @discardableResult
    package func respond(_ response: Response) -> Bool {
        let server = request.connection.server
        guard server.needsPreparing(response) else { return answer(.ready(response)) }
        return answer(.ready(server.prepared(response, for: request)))
    }

    /// Answers with a closure that makes the reply on the connection's own thread, so that the caller (the only writer, for
    /// example) spends no time on encoding.
    ///
    /// - Returns: As ``respond(_:)-(Response)``.
    @discardableResult
    package func respond(_ make: @escaping @Sendable () -> Response) -> Bool { answer(.make(make)) }

    /// Answers with an object that makes the reply on the connection's own thread. Cost: as ``respond(_:)-(Response)``; nothing
    /// is allocated.
    ///
    /// - Returns: As ``respond(_:)-(Response)``.
    @discardableResult
    package func respond(_ source: some ResponseSource) -> Bool { answer(.source(source)) }

    /// Ends the exchange without a reply and closes the connection, because the client has left: see ``isGone``. The request
    /// counts as aborted.
    package func abandon() { _ = answer(.abandoned) }

    /// Whether the exchange needs no answer any more: it was answered or given up, or the client closed its socket. A client that
    /// has shut only its sending side still waits, unless it speaks HTTP/1.0. Best effort: a client that vanished without closing
    /// its socket is not noticed. Cost: a lock.
    package var isGone: Bool { request.isGone }

    private func answer(_ answer: RequestState.Answer) -> Bool {
        isAnswered.store(true, ordering: .relaxed)
        return request.answer(answer)
    }

    deinit {
        if !isAnswered.load(ordering: .relaxed) { request.answer(.dropped) }
    }
}

/// Makes the reply to a request that waited, on the connection's own thread, so that the thread that did the
/// work (the only writer, for example) spends no time on encoding.
package protocol ResponseSource: AnyObject, Sendable {
    /// The reply. Called at most once.
    func makeResponse() -> Response
}
