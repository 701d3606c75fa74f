import HoldfastBytes
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastStreams
import Synchronization

/// Collects what a stream's client is sent. Any thread.
final class ToldEvents: StreamSink {
    /// One event as it came; a heartbeat has no name.
    struct Event {
        var name: String
        var id: String?
        var data: QueryJSON

        /// What it says of one of several queries, and where it moves the cursor; nil for neither.
        func part(of query: String) -> Event? {
            let list = name == "snapshot" ? "objects" : "changes"
            var members: [String: QueryJSON] = [:]
            if case .object(let all) = data { members = all }
            let own = (data[list]?.elements ?? []).filter { $0["query"] == .string(query) }
            members[list] = .array(own)
            if data["query"] == .string(query) || !own.isEmpty {
                return Event(name: name, id: id, data: .object(members))
            }
            return id.map { Event(name: "", id: $0, data: .null) }
        }
    }

    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
        var isEnded = false
    }
    private let state = Mutex(State())

    let queuedByteCount = 0
    let queueByteCountMax = 1 << 20
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// Whether the service has ended it.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Goes away.
    func close() { state.withLock { $0.isClosed = true } }

    /// Takes out what has come.
    func take() -> [Event] {
        let bytes = state.withLock { state in
            defer { state.bytes = [] }
            return state.bytes
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: LineEvents.end).map { text in
            let parts = text.split(separator: LineEvents.mark, omittingEmptySubsequences: false)
            let ids = parts.filter { $0.hasPrefix("id ") && $0.count > 3 }
            return Event(
                name: String(parts[0]), id: ids.last.map { String($0.dropFirst(3)) },
                data: parts.first { $0.hasPrefix("{") }.flatMap { QueryJSON(String($0)) } ?? .null)
        }
    }

    func send(_ bytes: SharedBytes) -> StreamSent { send(all: [bytes]) }

    func send(all pieces: [SharedBytes]) -> StreamSent {
        state.withLock { state in
            if state.isClosed { return .closed }
            for piece in pieces { state.bytes += piece.buffer.array }
            return .queued
        }
    }

    func end() { state.withLock { ($0.isClosed, $0.isEnded) = (true, true) } }

    func end(sending last: SharedBytes) {
        _ = send(last)
        end()
    }

    func whenQueued(atMost byteCount: Int, _ body: @escaping @Sendable () -> Void) { body() }
}

/// Frames events for ``ToldEvents``.
struct LineEvents: EventFraming {
    static let mark: Character = "\u{1}"
    static let end: Character = "\u{2}"

    func begin(_ name: StaticString, id: String?, in buffer: ByteBuffer) {
        buffer.append(name)
        if let id { buffer.append("\(Self.mark)id \(id)") }
        buffer.append("\(Self.mark)")
    }

    func end(id: String?, in buffer: ByteBuffer) {
        if let id { buffer.append("\(Self.mark)id \(id)") }
        buffer.append("\(Self.end)")
    }

    func retry(after milliseconds: Int, in buffer: ByteBuffer) {}

    func heartbeat(id: String?, in buffer: ByteBuffer) {
        buffer.append("\(Self.mark)id \(id ?? "")\(Self.end)")
    }
}
