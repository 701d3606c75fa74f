import HoldfastObjectJSON
import HoldfastObjectStore
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

/// One of the queries of a stream of several, from when it is added to when it is removed.
package final class FollowedQuery: @unchecked Sendable {
    // Unchecked: what varies is touched on the feed's thread alone.

    /// Its name among the others.
    package let name: String
    /// The followed query, as it was checked when it was added, or when it was last delivered live. A connection begins with it.
    package var checked: CheckedStream
    /// Bytes of the text that it was stated in.
    let byteCount: Int
    /// The generation of its stream that it was added in.
    var generation = 0
    /// The least version behind which a client knows of it: what has a lower id was told without it.
    var knownFrom: UInt64 = 0

    package init(_ name: String, _ checked: CheckedStream, byteCount: Int) {
        self.name = name
        self.checked = checked
        self.byteCount = byteCount
    }
}

/// The schema and the view under which a query of a stream of several was found to be none, or too much: under others it
/// is tried again.
package struct QueryEnd: Equatable, Sendable {
    private let schema: ObjectIdentifier
    /// Names the view; empty where that shows everything.
    let viewMark: String
    /// Whether it is tried again by itself: not what was too much, for which a schema that its user does not know counts for
    /// nothing.
    var isTriedAgain = true

    /// The schema and the view that a read shows.
    init(_ read: ReadTransaction) {
        schema = read.rows.identity
        viewMark = read.sight?.mark ?? ""
    }

    /// Those that a query was checked for.
    init(_ query: CheckedStream) {
        schema = query.names.schema.identity
        viewMark = query.viewMark
    }
}

extension RequestFault {
    /// Whether the query that a stream follows is at fault, so that others of the stream can go on: not the storage, nor the
    /// service.
    var isOfFollowedQuery: Bool { kind.isOfRequest || isQueryLimit }
}
