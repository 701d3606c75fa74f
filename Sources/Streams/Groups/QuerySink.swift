import HoldfastObjectJSON
import HoldfastObjectStore
import Synchronization

/// The sink of one query of a stream of several, on the connection that all of them share. Any thread.
final class QuerySink: StreamSink, @unchecked Sendable {
    // Unchecked: `ended` is used only on the feed's thread.

    let query: FollowedQuery
    private let group: StreamGroup
    private let isRemoved = Mutex(false)
    /// The schema and the view under which it has ended while the others continue; nil while it is followed. Only on the feed's
    /// thread.
    var ended: QueryEnd?

    init(_ query: FollowedQuery, of group: StreamGroup) {
        self.query = query
        self.group = group
    }

    /// Ends it while the others continue. Nothing of it is sent any more.
    func remove() { isRemoved.withLock { $0 = true } }

    var queuedByteCount: Int { group.sink.queuedByteCount }
    var queueByteCountMax: Int { group.sink.queueByteCountMax }
    var isClosed: Bool { isRemoved.withLock { $0 } || group.sink.isClosed }

    func moveID(to version: UInt64, at present: UInt64) -> Bool {
        guard version == present, group.isUpToDate(at: present, beside: self) else { return false }
        group.advance(through: version)
        return true
    }

    func send(_ bytes: SharedBytes) -> StreamSent {
        // Under the lock, so that no bytes come after the reset of another query of its name.
        isRemoved.withLock { $0 ? .closed : group.sink.send(bytes) }
    }

    func send(all pieces: [SharedBytes]) -> StreamSent {
        isRemoved.withLock { $0 ? .closed : group.sink.send(all: pieces) }
    }

    func send(_ bytes: SharedBytes, inStepTo version: UInt64) -> StreamSent {
        group.collect(bytes, for: self, version: version)
    }

    func leaveLiveSteps() { group.leave(self) }

    /// Ends the whole stream, after the taken bytes.
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

/// One query of a stream of several, from its addition to its removal.
package final class FollowedQuery: @unchecked Sendable {
    // Unchecked: mutable state is used only on the feed's thread.

    /// Its name among the others.
    package let name: String
    /// The followed query, as it was checked when it was added or last delivered live. A connection begins with it.
    package var checked: CheckedStream
    /// The bytes of the text that stated it.
    let byteCount: Int
    /// The stream's generation in which it was added.
    var generation = 0
    /// The lowest version after which a client knows it. A lower id was sent without it.
    var knownFrom: UInt64 = 0

    package init(_ name: String, _ checked: CheckedStream, byteCount: Int) {
        self.name = name
        self.checked = checked
        self.byteCount = byteCount
    }
}

/// The schema and the view under which a query of a stream of several was found to be invalid or to exceed a limit. Under others
/// it is tried again.
package struct QueryEnd: Equatable, Sendable {
    private let schema: ObjectIdentifier
    /// The name of the view; empty if it shows everything.
    let viewMark: String
    /// Whether it is tried again automatically. False if it exceeded a limit: a schema change
    /// that its user cannot see must have no effect then.
    var isTriedAgain = true

    /// The schema and the view that a read shows.
    init(_ read: ReadTransaction) {
        schema = read.rows.identity
        viewMark = read.visibility?.mark ?? ""
    }

    /// The schema and the view that a query was checked for.
    init(_ query: CheckedStream) {
        schema = query.names.schema.identity
        viewMark = query.viewMark
    }
}

extension RequestFault {
    /// Whether the query that a stream follows is at fault, and not the storage or the service, so that the stream's other
    /// queries can continue.
    var isOfFollowedQuery: Bool { kind.isOfRequest || isQueryLimit }
}
