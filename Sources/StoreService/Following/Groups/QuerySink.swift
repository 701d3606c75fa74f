import Synchronization

/// The way of one query to the connection that a stream of several has for all of them. Any thread.
final class QuerySink: StreamSink, @unchecked Sendable {
    // Unchecked: `ended` is touched on the feed's thread alone.

    /// Which query it is.
    let query: FollowedQuery
    private let group: StreamGroup
    private let isRemoved = Mutex(false)
    /// Under what it has ended while the others go on; nil while it is followed. The feed's thread alone.
    var ended: QueryEnd?

    init(_ query: FollowedQuery, of group: StreamGroup) {
        self.query = query
        self.group = group
    }

    /// Ends it, while the others go on: nothing of it is sent any more.
    func remove() { isRemoved.withLock { $0 = true } }

    var queuedByteCount: Int { group.sink.queuedByteCount }
    var queueByteCountMax: Int { group.sink.queueByteCountMax }
    var isClosed: Bool { isRemoved.withLock { $0 } || group.sink.isClosed }

    func moveID(to version: UInt64, at present: UInt64) -> Bool {
        guard version == present, group.isUpToDate(at: present, beside: self) else { return false }
        group.know(through: version)
        return true
    }

    func send(_ bytes: SharedBytes) -> StreamSent {
        // Under the lock, so that nothing comes behind the reset of another query of its name.
        isRemoved.withLock { $0 ? .closed : group.sink.send(bytes) }
    }

    func send(all pieces: [SharedBytes]) -> StreamSent {
        isRemoved.withLock { $0 ? .closed : group.sink.send(all: pieces) }
    }

    func send(_ bytes: SharedBytes, inStepTo version: UInt64) -> StreamSent {
        group.collect(bytes, for: self, version: version)
    }

    func leaveSteps() { group.leave(self) }

    /// Ends the whole stream, behind what was taken.
    func end() { if !isRemoved.withLock({ $0 }) { group.sink.end() } }

    func end(sending last: SharedBytes) {
        if !isRemoved.withLock({ $0 }) { group.sink.end(sending: last) }
    }

    func end(sending last: SharedBytes, as end: QueryEnd) {
        group.end(self, sending: last, as: end)
    }

    func whenQueued(atMost byteCount: Int, _ body: @escaping @Sendable () -> Void) {
        group.sink.whenQueued(atMost: byteCount, body)
    }
}
