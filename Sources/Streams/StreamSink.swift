import HoldfastObjectJSON

/// The destination of a stream's events. Any thread.
package protocol StreamSink: AnyObject, Sendable {
    /// The bytes that its client has not read yet.
    var queuedByteCount: Int { get }
    /// The maximum number of queued bytes.
    var queueByteCountMax: Int { get }
    /// Whether the client has gone.
    var isClosed: Bool { get }

    /// Moves its client's id to a version that one stream on it has reached, unless another stream on it has not. On the feed's
    /// thread.
    ///
    /// - `present`: The version of the feed.
    /// - Returns: Whether the id is moved.
    func moveID(to version: UInt64, at present: UInt64) -> Bool

    /// Takes bytes, unless it is full or closed. Larger bytes than its maximum are taken when it is empty.
    func send(_ bytes: SharedBytes) -> StreamSent
    /// Takes all pieces or no piece, as ``send(_:)``.
    func send(all pieces: [SharedBytes]) -> StreamSent
    /// Takes the event of one query in the feed's step to a version. On the feed's thread.
    func send(_ bytes: SharedBytes, inStepTo version: UInt64) -> StreamSent
    /// Called when its stream does not receive steps any more. On the feed's thread.
    func leaveLiveSteps()
    /// Ends the stream after the taken bytes.
    func end()
    /// Ends the stream with a last event, after the taken bytes.
    func end(sending last: SharedBytes)
    /// Ends one query with a last event, after its taken bytes. The stream ends too, unless it has other queries.
    ///
    /// - `end`: The schema and the view under which the query is invalid.
    func end(sending last: SharedBytes, as end: QueryEnd)
    /// Calls `body` once when at most this many bytes wait, or the client has gone: at once, or later on a thread that must not
    /// be held up.
    func whenQueued(atMost byteCount: Int, _ body: @escaping @Sendable () -> Void)
}

extension StreamSink {
    package func moveID(to version: UInt64, at present: UInt64) -> Bool { true }
    package func leaveLiveSteps() {}
    package func end(sending last: SharedBytes, as end: QueryEnd) { self.end(sending: last) }
    package func send(_ bytes: SharedBytes, inStepTo version: UInt64) -> StreamSent { send(bytes) }
}

/// The outcome of giving bytes to a ``StreamSink``.
package enum StreamSent: Sendable {
    case queued
    /// There is no room; nothing was taken.
    case full
    /// The client has gone; nothing was taken.
    case closed
}

/// A client that waits for one reply. Any thread.
package protocol ReplySink: Sendable {
    var isGone: Bool { get }

    /// Answers with a page as JSON.
    func reply(_ page: SharedBytes)
    /// Answers with an error.
    func fail(_ fault: RequestFault)
    /// Gives up without an answer, because the client has gone.
    func abandon()
}
