import Glibc
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// A client of one event stream. One thread at a time uses it.
final class ChangesClient {
    /// One event as it came; a heartbeat has neither name nor data.
    struct Event: Equatable {
        var name = ""
        var id: String?
        var data = ""

        var json: QueryJSON { QueryJSON(data) ?? .null }
        var isHeartbeat: Bool { name.isEmpty && data.isEmpty }
        /// `op id` of each change, such as `enter 7`.
        var changes: [String] {
            (json["changes"]?.elements ?? []).map { change in
                let id = change["id"]?.int.map { String($0) } ?? change["id"]?.string ?? "null"
                return "\(change["op"]?.string ?? "?") \(id)"
            }
        }
    }

    private let socket: Int32
    private var received: [UInt8] = []
    private var position = 0
    /// What is left of the present chunk.
    private var chunkLeft = 0
    private(set) var status = 0
    private(set) var headers: [String: String] = [:]
    private(set) var isEnded = false
    /// Since when heartbeats alone have come while an event is waited for, in seconds of the monotonic clock; 0 for none.
    private var waitStart = 0
    /// How long they are listened to: a test whose event never comes has to end.
    private static let patienceSeconds = 40
    /// Every byte of the body so far.
    private(set) var body: [UInt8] = []

    init(
        port: UInt16, _ target: String, headers: [(String, String)] = [],
        receiveByteCountMax: Int32? = nil
    ) {
        socket = LoopbackSocket.connect(port: port, receiveByteCountMax: receiveByteCountMax)
        var text = "GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        text += "\r\n"
        _ = Array(text.utf8).withUnsafeBytes {
            send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        readHead()
    }

    deinit { close(socket) }

    /// The next event, heartbeats included; nil when the stream has ended, nothing came for 30 s, or
    /// only heartbeats for longer.
    func next() -> Event? {
        if isEnded { return nil }
        var event = Event()
        var isEmpty = true
        while let line = bodyLine() {
            if line.isEmpty {
                var now = timespec()
                clock_gettime(CLOCK_MONOTONIC, &now)
                if !event.isHeartbeat || waitStart == 0 { waitStart = now.tv_sec }
                if now.tv_sec - waitStart > Self.patienceSeconds {
                    Issue.record("nothing but heartbeats came")
                    break
                }
                if isEmpty { continue }
                return event
            }
            // A comment keeps the connection, and how soon to come back is for those who do so by themselves.
            if line.hasPrefix(":") || line.hasPrefix("retry: ") { continue }
            isEmpty = false
            if line.hasPrefix("event: ") {
                event.name = String(line.dropFirst(7))
            } else if line.hasPrefix("id: ") {
                event.id = String(line.dropFirst(4))
            } else if line.hasPrefix("data: ") {
                event.data += line.dropFirst(6)
            } else {
                Issue.record("a line that is no field: \(line)")
            }
        }
        isEnded = true
        return nil
    }

    /// The next event that is no heartbeat.
    func nextEvent(_ location: SourceLocation = #_sourceLocation) -> Event {
        // Those that came while nobody waited do not count.
        waitStart = 0
        while let event = next() { if !event.isHeartbeat { return event } }
        Issue.record("the stream has ended", sourceLocation: location)
        return Event()
    }

    /// The events up to one of a name, without heartbeats.
    func events(to name: String, _ location: SourceLocation = #_sourceLocation) -> [Event] {
        var found: [Event] = []
        repeat { found.append(nextEvent(location)) } while found.last?.name != name && !isEnded
        return found
    }

    /// The events that have come, without heartbeats; nothing is waited for but the rest of one that has begun to come.
    func eventsAtHand() -> [Event] {
        var found: [Event] = []
        while !isEnded, hasMore {
            if let event = next(), !event.isHeartbeat { found.append(event) }
        }
        return found
    }

    /// Whether something has come that is not the end of a chunk.
    private var hasMore: Bool {
        let lineEnds = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        if received[position...].contains(where: { !lineEnds.contains($0) }) { return true }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Takes what comes next, if that is a comment with an empty line behind it.
    func takesComment() -> Bool { bodyLine() == ":" && bodyLine() == "" }

    // MARK: Reading

    /// What has come up to the end of a line or of so many bytes, at least one; nil at the end of the connection.
    private func piece(_ byteCountMax: Int = .max) -> ArraySlice<UInt8>? {
        if position == received.count {
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            received = Array(piece[..<count])
            position = 0
        }
        let rest = received[position...].prefix(byteCountMax)
        let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
        let piece = received[position..<end]
        position = end
        return piece
    }

    /// The next line of the pieces that `piece` gives; nil where they end first.
    private func line(_ piece: () -> ArraySlice<UInt8>?) -> String? {
        var bytes: [UInt8] = []
        while let next = piece() {
            bytes += next
            guard bytes.last == UInt8(ascii: "\n") else { continue }
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            return String(decoding: bytes, as: UTF8.self)
        }
        return nil
    }

    private func headLine() -> String? { line { piece() } }

    private func readHead() {
        guard let start = headLine() else { return }
        status = start.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        while let field = headLine(), !field.isEmpty {
            guard let colon = field.firstIndex(of: ":") else { continue }
            headers[field[..<colon].lowercased()] = String(
                field[field.index(after: colon)...].drop { $0 == " " })
        }
    }

    private func bodyPiece() -> ArraySlice<UInt8>? {
        let isChunked = headers["transfer-encoding"] == "chunked"
        if isChunked {
            while chunkLeft == 0 {
                guard let size = headLine() else { return nil }
                if size.isEmpty { continue }
                guard let count = Int(size, radix: 16), count > 0 else { return nil }
                chunkLeft = count
            }
        }
        guard let next = piece(isChunked ? chunkLeft : .max) else { return nil }
        if isChunked { chunkLeft -= next.count }
        body += next
        return next
    }

    private func bodyLine() -> String? { line(bodyPiece) }
}

/// What a client that follows the rules of change streams knows: set what enters or is updated, remove
/// what leaves or is deleted, forget everything at a reset.
struct ChangesReplica {
    private(set) var objects: [String: QueryJSON] = [:]
    private(set) var etags: [String: String] = [:]

    static func key(_ entry: QueryJSON) -> String {
        let id = entry["id"].map { "\($0)" } ?? "?"
        return (entry["class"]?.string ?? "") + id
    }

    mutating func apply(_ event: ChangesClient.Event) {
        switch event.name {
        case "reset":
            objects = [:]
            etags = [:]
        case "snapshot": for entry in event.json["objects"]?.elements ?? [] { set(entry) }
        case "change": apply(event.json["changes"]?.elements ?? [])
        default: break
        }
    }

    mutating func apply(_ changes: [QueryJSON]) {
        for change in changes {
            switch change["op"]?.string {
            case "enter", "update": set(change)
            case "leave", "delete":
                objects[Self.key(change)] = nil
                etags[Self.key(change)] = nil
            default: Issue.record("no such change: \(change)")
            }
        }
    }

    mutating func set(_ entry: QueryJSON) {
        objects[Self.key(entry)] = entry["object"]
        etags[Self.key(entry)] = entry["etag"]?.string
    }
}
