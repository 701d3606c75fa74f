import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService
import HoldfastThreads

/// The client of a stream of several queries. On the way to the present, each query is a stream of its own.
///
/// Live, a step of the feed is one event for all queries, of pieces that other clients share.
final class StreamGroup: @unchecked Sendable {
    // Unchecked: mutable state is used only on the feed's thread.

    let stream: QueryStream
    /// The connection.
    let sink: any StreamSink
    /// The caller that takes the queries' turns.
    let caller: Caller
    /// Its queries, each with its progress.
    var members: [(querySink: QuerySink, follower: Follower)] = []
    /// The time of the last event for all queries, in milliseconds of the monotonic clock.
    var lastSent: UInt64 = 0

    /// The state at a worker's last check whether ended queries are valid again.
    struct Moment: Equatable {
        let version: UInt64
        let rulesGeneration: UInt64
    }
    /// The moment of the last check; nil if the check has to be repeated.
    var lookedAt: Moment?
    /// Whether a check by a worker is under way.
    var isLookedAt = false

    private unowned let hub: StreamHub

    /// The pieces of steps that its client has not received yet.
    private struct Steps {
        /// The pieces of the next part, each with its query's position among the queries.
        var pieces: [(position: Int, bytes: SharedBytes)] = []
        var byteCount = 0
        /// The followers of all queries that the steps concern, each with the version that its client knew before.
        var concerned: [ObjectIdentifier: (follower: Follower, version: UInt64)] = [:]
        /// The first and the last version of the collected pieces.
        var (first, last) = (UInt64.max, UInt64(0))
        /// Whether a part of the event has been sent.
        var hasParts = false
        /// Whether a part found no room.
        var isFull = false

        var isEmpty: Bool { concerned.isEmpty }
    }
    private var steps = Steps()
    private var pace: EventInterval
    private var isDelayed = false

    private static let comma: SharedBytes = {
        let buffer = ByteBuffer(capacity: 1)
        buffer.append(UInt8(ascii: ","))
        return SharedBytes(buffer)
    }()

    init(_ stream: QueryStream, _ sink: any StreamSink, _ caller: Caller, hub: StreamHub) {
        self.stream = stream
        self.sink = sink
        self.caller = caller
        self.hub = hub
        pace = EventInterval(stream.intervalMilliseconds, isAligned: true)
    }

    /// Whether its client has received everything up to the feed's version, if the given query is at that version.
    func isUpToDate(at version: UInt64, beside querySink: QuerySink? = nil) -> Bool {
        steps.isEmpty && isLive(at: version, beside: querySink)
    }

    private func isLive(at version: UInt64, beside querySink: QuerySink? = nil) -> Bool {
        var present: QueryEnd?
        for member in members where member.querySink.ended == nil {
            guard member.querySink === querySink || member.follower.isAtPresent(version) else {
                return false
            }
            present = present ?? QueryEnd(member.follower.query)
        }
        // An ended query has nothing to send, unless it may be valid again.
        return members.allSatisfy { member in
            guard let ended = member.querySink.ended, ended.isTriedAgain else { return true }
            return present == nil || ended == present
        }
    }

    /// The follower of a query; nil for a query that was removed.
    func follower(of querySink: QuerySink) -> Follower? {
        members.first { $0.querySink === querySink }?.follower
    }

    /// Ends a query while the others continue. Any thread.
    func end(_ querySink: QuerySink, sending last: SharedBytes, as end: QueryEnd) {
        hub.perform { position in
            self.hub.end(querySink, of: self, sending: last, as: end, position)
        } orElse: {
            self.sink.end()
        }
    }

    // MARK: Live, on the feed's thread

    /// Takes the event of one query for the step to a version.
    func collect(_ bytes: SharedBytes, for querySink: QuerySink, version: UInt64) -> StreamSent {
        if sink.isClosed { return .closed }
        guard let position = members.firstIndex(where: { $0.querySink === querySink }) else {
            return .closed
        }
        if steps.isEmpty, !isDelayed { hub.groupsInStep.append(self) }
        (steps.first, steps.last) = (min(steps.first, version), max(steps.last, version))
        if steps.concerned[ObjectIdentifier(querySink)] == nil {
            let follower = members[position].follower
            steps.concerned[ObjectIdentifier(querySink)] = (follower, follower.state.version)
        }
        if steps.byteCount >= StreamChannel.partByteCount {
            sendCollected(version, isLast: false)
            steps.hasParts = true
            if steps.isFull { hub.groupsInStep.append(self) }
        }
        if steps.isFull { return .full }
        steps.pieces.append((position, bytes))
        steps.byteCount += bytes.count
        return .queued
    }

    /// Sends the collected pieces, unless the interval is not over or a query has not received the first of the steps yet.
    ///
    /// - Returns: Whether it has to be called again.
    func endStep(to version: UInt64) -> Bool {
        if !steps.isEmpty, !steps.isFull, !sink.isClosed {
            if !pace.isDue {
                delay()
                return false
            }
            let isWhole = members.allSatisfy {
                $0.follower.channel.map { $0.knownVersion(at: version) >= steps.first } ?? true
            }
            if !isWhole { return true }
        }
        send(to: version)
        return false
    }

    private func delay() {
        if isDelayed { return }
        isDelayed = true
        hub.feed?.perform(at: pace.due) { _ in
            self.isDelayed = false
            self.hub.groupsInStep.append(self)
        }
    }

    /// Takes a query out of the steps, after the collected pieces. Workers send its next changes.
    func leave(_ querySink: QuerySink) {
        if !steps.isFull { return send(to: steps.last) }
        // There is no room for its piece. It catches up before the other queries do, at the end of the step.
        let one = steps.concerned.removeValue(forKey: ObjectIdentifier(querySink))
        if let one { one.follower.state.advance(through: one.version) }
    }

    private func send(to version: UInt64) {
        if !steps.isEmpty, !steps.isFull { sendCollected(version, isLast: true) }
        let sent = steps
        steps = Steps()
        if sent.isEmpty { return }
        lastSent = monotonicMilliseconds()
        pace.begin()
        if !sent.isFull { return }
        // The client is slow.
        for one in sent.concerned.values { one.follower.state.advance(through: one.version) }
        for follower in hub.detach(sent.concerned.values.map(\.follower)) {
            hub.fallBehind(follower, isToldInPart: sent.hasParts)
        }
    }

    private func sendCollected(_ version: UInt64, isLast: Bool) {
        let (head, end) = (ByteBuffer(capacity: 128), ByteBuffer(capacity: 64))
        // Queries with pieces are the feed's, and have the same view; other queries may be a worker's.
        let cursor = cursor(version, of: steps.concerned.values.first?.follower)
        hub.events.framing.begin("change", id: nil, in: head)
        head.append("{\"version\":\"\(cursor)\",\"changes\":[")
        let id = isLast && isLive(at: version) ? cursor : nil
        // Without an id, nothing else says that this is the last part.
        let isMarked = isLast && (steps.hasParts || id == nil)
        end.append(isMarked ? "],\"last\":true}" : "]}")
        hub.events.framing.end(id: id, in: end)
        var pieces = [SharedBytes(head)]
        for piece in steps.pieces.sorted(by: { $0.position < $1.position }) {
            if pieces.count > 1 { pieces.append(Self.comma) }
            pieces.append(piece.bytes)
        }
        switch sink.send(all: pieces + [SharedBytes(end)]) {
        case .queued: if id != nil { advance(through: version) }
        case .full: steps.isFull = true
        case .closed: break
        }
        steps.pieces = []
        steps.byteCount = 0
    }

    /// The cursor of a query's client after a version.
    private func cursor(_ version: UInt64, of follower: Follower?) -> String {
        follower.map { hub.cursor(version, of: $0.query) }
            ?? StoreVersion(epoch: hub.served.store.epoch, number: version).description
    }

    /// Sends a heartbeat to its client.
    func beat(_ version: UInt64) {
        // An ended query may have been checked for another view.
        let followed = members.first { $0.querySink.ended == nil }?.follower
        let isLive = isUpToDate(at: version) && (followed != nil || members.isEmpty)
        let cursor = isLive ? cursor(version, of: followed) : nil
        if case .queued = sink.send(hub.events.heartbeat(cursor)), isLive {
            advance(through: version)
        }
    }

    /// Notes that its client has an id after a version, so that no query sends changes before it.
    func advance(through version: UInt64) {
        for member in members where member.follower.state.version < version {
            member.follower.state.advance(through: version)
        }
    }
}
