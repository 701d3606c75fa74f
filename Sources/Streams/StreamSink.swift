import HoldfastObjectJSON

/// The destination of a stream's events. Any thread.
package protocol StreamSink: AnyObject, Sendable {
    /// Bytes that its client has not read yet.
    var queuedByteCount: Int { get }
    /// The bound of those.
    var queueByteCountMax: Int { get }
    /// Whether the client has gone.
    var isClosed: Bool { get }

    /// Moves its client's id to a version that the stream that uses it has come to, unless another one that uses it has not.
    /// The feed's thread.
    ///
    /// - `present`: The version of the feed.
    /// - Returns: Whether the id is moved.
    func moveID(to version: UInt64, at present: UInt64) -> Bool

    /// Takes bytes, unless it is full or closed. What is larger than its bound is taken when it is empty.
    func send(_ bytes: SharedBytes) -> StreamSent
    /// Takes all of some bytes, or none of them, as ``send(_:)``.
    func send(all pieces: [SharedBytes]) -> StreamSent
    /// Takes what the step of the feed that leads to a version means to one query. The feed's thread.
    func send(_ bytes: SharedBytes, inStepTo version: UInt64) -> StreamSent
    /// Learns that the stream that uses it is not told of steps any more. The feed's thread.
    func leaveSteps()
    /// Ends the stream behind what was taken.
    func end()
    /// Ends the stream with a last event, behind what was taken.
    func end(sending last: SharedBytes)
    /// Ends one query with a last event, behind what was taken of it: with the stream, unless that has others.
    ///
    /// - `end`: Under what it is no query.
    func end(sending last: SharedBytes, as end: QueryEnd)
    /// Has `body` run once when no more bytes than these wait, or the client has gone: at once, or later on a
    /// thread that must not be held up.
    func whenQueued(atMost byteCount: Int, _ body: @escaping @Sendable () -> Void)
}

extension StreamSink {
    package func moveID(to version: UInt64, at present: UInt64) -> Bool { true }
    package func leaveSteps() {}
    package func end(sending last: SharedBytes, as end: QueryEnd) { self.end(sending: last) }
    package func send(_ bytes: SharedBytes, inStepTo version: UInt64) -> StreamSent { send(bytes) }
}

/// The fate of bytes that were given to a ``StreamSink``.
package enum StreamSent: Sendable {
    case queued
    /// There is no room; nothing was taken.
    case full
    /// The client has gone; nothing was taken.
    case closed
}

/// A client that waits for one reply. Any thread.
package protocol ReplySink: Sendable {
    /// Whether the client has gone.
    var isGone: Bool { get }

    /// Answers with a page as JSON.
    func reply(_ page: SharedBytes)
    /// Answers with what went wrong.
    func fail(_ fault: RequestFault)
    /// Gives up without an answer, because the client has gone.
    func abandon()
}
