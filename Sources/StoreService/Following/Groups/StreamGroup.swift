import Bytes
import ObjectJSON
import ObjectStore
import Synchronization
import Threads

/// The client of a stream of several queries, each of which is a stream of its own on the way to the present.
///
/// Live, what a step of the feed means to all of them is one event, of pieces that other clients share.
final class StreamGroup: @unchecked Sendable {
    // Unchecked: what varies is touched on the feed's thread alone; `waiting` has a lock.

    let stream: QueryStream
    /// The connection.
    let sink: any StreamSink
    /// Whose turns its queries take.
    let clientKey: ClientKey
    /// Its queries, each with how far it has come.
    var members: [(leg: StreamLeg, subscriber: StreamSubscriber)] = []
    /// When something was last sent to all, in milliseconds of the monotonic clock.
    var lastSent: UInt64 = 0

    private unowned let hub: StreamHub
    private let waiting = Mutex<[(byteCount: Int, body: @Sendable () -> Void)]>([])

    /// What is collected of the present step.
    private struct Step {
        /// For each query of the next part, by its position among the others, what it means to it.
        var pieces: [(position: Int, bytes: SharedBytes)] = []
        var byteCount = 0
        /// The positions of all queries that it concerns.
        var concerned: Set<Int> = []
        /// Whether a part of the event has been sent.
        var hasParts = false
        /// Whether a part found no room.
        var isFull = false
    }
    private var step = Step()

    private static let comma: SharedBytes = {
        let buffer = ByteBuffer(capacity: 1)
        buffer.append(UInt8(ascii: ","))
        return SharedBytes(buffer)
    }()

    init(
        _ stream: QueryStream, _ sink: any StreamSink, _ clientKey: ClientKey, hub: StreamHub
    ) {
        self.stream = stream
        self.sink = sink
        self.clientKey = clientKey
        self.hub = hub
    }

    /// Whether each query has been told everything up to the feed's version.
    var isLive: Bool { members.allSatisfy(\.subscriber.isAtPresent) }

    /// Whether that is so once one of them is.
    func isLive(beside leg: StreamLeg) -> Bool {
        members.allSatisfy { $0.leg === leg || $0.subscriber.isAtPresent }
    }

    /// Has `body` run once when no more than these bytes wait in the queue that all use. Any thread.
    func whenQueued(atMost byteCount: Int, _ body: @escaping @Sendable () -> Void) {
        // The connection keeps one who waits, so all are woken when there is room for each.
        let least = waiting.withLock { waiting in
            waiting.append((byteCount, body))
            return waiting.lazy.map(\.byteCount).min() ?? 0
        }
        sink.whenQueued(atMost: least) { [weak self] in
            let woken = self?.waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for one in woken ?? [] { one.body() }
        }
    }

    // MARK: Live, on the feed's thread

    /// Takes what the step that leads to a version means to one query.
    func collect(_ bytes: SharedBytes, for leg: StreamLeg, version: UInt64) -> StreamSent {
        if sink.isClosed { return .closed }
        guard let position = members.firstIndex(where: { $0.leg === leg }) else { return .closed }
        if step.concerned.isEmpty { hub.groupsInStep.append(self) }
        step.concerned.insert(position)
        if step.byteCount >= StreamChannel.partByteCount {
            sendCollected(version, isLast: false)
            step.hasParts = true
        }
        if step.isFull { return .full }
        step.pieces.append((position, bytes))
        step.byteCount += bytes.count
        return .queued
    }

    /// Sends what is left of a step.
    ///
    /// - Returns: Those of its streams that have not been told all of it, because its client is slow.
    func endStep(to version: UInt64) -> (behind: [StreamSubscriber], isToldInPart: Bool) {
        if !step.isFull { sendCollected(version, isLast: true) }
        defer { step = Step() }
        guard step.isFull else {
            lastSent = monotonicMilliseconds()
            return ([], false)
        }
        let behind = step.concerned.map { members[$0].subscriber }.filter { $0.channel != nil }
        return (behind, step.hasParts)
    }

    private func sendCollected(_ version: UInt64, isLast: Bool) {
        let (head, end) = (ByteBuffer(capacity: 128), ByteBuffer(capacity: 64))
        let cursor = hub.cursor(version)
        hub.events.framing.begin("change", id: nil, in: head)
        head.append("{\"version\":\"\(cursor)\",\"changes\":[")
        let id = isLast && isLive ? cursor : nil
        // Where there is no id, nothing else says that this is all.
        let isMarked = isLast && (step.hasParts || id == nil)
        end.append(isMarked ? "],\"last\":true}" : "]}")
        hub.events.framing.end(id: id, in: end)
        var pieces = [SharedBytes(head)]
        for piece in step.pieces.sorted(by: { $0.position < $1.position }) {
            if pieces.count > 1 { pieces.append(Self.comma) }
            pieces.append(piece.bytes)
        }
        let sent = sink.send(all: pieces + [SharedBytes(end)])
        if case .full = sent { step.isFull = true }
        step.pieces = []
        step.byteCount = 0
    }

    /// Tells its client that the connection holds.
    func beat(_ cursor: String, version: UInt64) {
        let isLive = isLive
        guard case .queued = sink.send(hub.events.heartbeat(isLive ? cursor : nil)), isLive
        else { return }
        for member in members { member.subscriber.version = version }
    }
}
