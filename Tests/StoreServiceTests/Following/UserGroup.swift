@testable import HoldfastStreams
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastServiceSupport
import HoldfastTestSupport

@testable import HoldfastStoreService

/// A client that follows several queries on one connection, each as a ``UserFollower``.
final class UserGroup {
    /// What follows each query, which has its position as its name.
    let parts: [UserFollower]
    private let user: Int
    private let world: UserStreamWorld
    private var sink = ToldEvents()
    private var stream: QueryStream?
    private var cursor = "start"
    /// The positions of the queries that its stream has.
    private var followed: [Int] = []

    init(_ queries: [UserFollower.Query], of user: Int, in world: UserStreamWorld) {
        parts = queries.map { UserFollower($0, of: user, told: .part, in: world) }
        self.user = user
        self.world = world
    }

    /// The positions of the queries that name nothing that its user does not know.
    private var known: [Int] { parts.indices.filter { parts[$0].isKnown } }

    private var body: String {
        let queries = followed.map { name in
            let query = parts[name].query
            var members = [
                query.shape.projection[query.className].map { "\"projection\":\(quoted($0))" }
                    ?? "\"class\":\(quoted(query.className))"
            ]
            for (name, text) in [
                ("filter", query.filter), ("fields", query.shape.fields[query.className]),
                ("expand", query.shape.expand[query.className]),
                ("keyPaths", query.hasKeyPaths ? query.shape.fields[query.className] : nil),
            ] {
                if let text { members.append("\"\(name)\":\(quoted(text))") }
            }
            return "\"\(name)\":{\(members.joined(separator: ","))}"
        }
        return "{\"queries\":{\(queries.joined(separator: ","))}}"
    }

    /// Opens another connection, from where the client stands.
    func connect(_ hub: StreamHub) throws {
        sink.close()
        process()
        if let stream { hub.end(stream) }
        sink = ToldEvents()
        stream = nil
        // One that comes to the others is not told from where they stand.
        if known != followed { (followed, cursor) = (known, "start") }
        if followed.isEmpty { return }
        let (served, caller) = (world.service.served, world.callers[user])
        let bytes = RequestBytes(body)
        let parser = JSONParser()
        let stream = try withExtendedLifetime((bytes, parser)) {
            try hub.queryStreams.make(
                StreamQueriesBody(
                    parser.parse(bytes.bytes), byteCount: bytes.bytes.count, of: nil, for: caller,
                    quotesLargeInts: false, served), for: caller, isUser: caller.visibility != nil)
        }
        self.stream = stream
        let mark = stream.queries.first?.checked.viewMark ?? ""
        let start = try served.streamCursor(cursor, "since", of: mark)
        hub.open(stream, to: sink, for: caller, from: start) {}
    }

    /// The id of its stream.
    var id: String? { stream?.id }

    /// Whether its stream has ended, or has to have other queries.
    var isOutdated: Bool { sink.isEnded || known != followed }

    /// Takes in what has come.
    func process() {
        let events = sink.take()
        for name in followed {
            parts[name].take(events.compactMap { $0.part(of: "\(name)") })
        }
        cursor = events.last { $0.id != nil }?.id ?? cursor
    }
}
