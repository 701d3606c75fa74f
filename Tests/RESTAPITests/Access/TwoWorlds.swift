import HoldfastStreams
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Two services in which a user sees the same, and which differ in what the user does not see.
final class TwoWorlds {
    /// A request that changes something.
    struct Write: CustomStringConvertible {
        var method: String
        /// Behind `/v1`. `{through}` stands for the end of the readings that the user sees in the outbox.
        var target: String
        var body: String?

        var description: String { "\(method) \(target) \(body ?? "")" }

        init(_ method: String, _ target: String, _ body: String? = nil) {
            (self.method, self.target, self.body) = (method, target, body)
        }
    }

    /// A change of each world, in which they have one version more, or both none.
    struct Change: CustomStringConvertible {
        /// In words.
        var text: String
        /// By world.
        var writes: [Write]
        /// Whether it is the user's own.
        var isOwn = false

        var description: String { "\(text) (\(writes[0]); \(writes[1]))" }

        /// One that is another in each world, or the same where it says one write.
        init(_ text: String, _ writes: Write..., isOwn: Bool = false) {
            self.text = text
            self.writes = writes.count == 1 ? [writes[0], writes[0]] : writes
            self.isOwn = isOwn
        }
    }

    let servers: [RuledServer]
    /// Who asks, by world.
    let askers: [RuledServer.Key]
    /// How many streams stay open in each.
    var streamCount = 0
    private var live: [[Follower]] = [[], []]

    /// Makes the worlds of a user, with the same access document; `make` gives that of a number.
    init(_ document: String, user: String, make: (Int) throws -> RuledServer) rethrows {
        servers = try [0, 1].map(make)
        askers = servers.map { server in
            let put = server.send("PUT", "/v1/access", document)
            #expect(put.status == 200, "\(put.text)\n\(document)")
            return server.user(user)
        }
    }

    private func epoch(_ world: Int) -> String {
        String("\(servers[world].store.version)".prefix { $0 != "-" })
    }

    /// What a service says without what is its alone: the name of its store in versions, and what is sealed with its key.
    func plain(_ text: String, _ world: Int) -> String {
        text.replacing(epoch(world) + "-", with: "v-")
            .replacing(/"next":"[^"]*"/, with: "\"next\":\"…\"")
            .replacing(/\.[A-Za-z0-9_\-]{40,}/, with: ".sealed")
            .replacing(/(v-[0-9]+)(?:\.[0-9]+)?_[0-9a-z]+/) { "\($0.output.1)_view" }
    }

    /// A reply with its header, without what is its service's alone.
    func plain(_ reply: HTTPClient.Reply, _ world: Int) -> String {
        let aside = ["content-length", "date", "x-request-id"]
        let header = reply.headers.filter { !aside.contains($0.key) }
            .map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ")
        return plain("\(reply.status) \(header)\n\(reply.text)", world)
    }

    /// What a user reads differently.
    func difference(reading target: String) -> Difference? {
        let texts = servers.indices.map {
            plain(servers[$0].get("/v1" + target, as: askers[$0]), $0)
        }
        return texts[0] == texts[1] ? nil : Difference(target: target, way: "read", texts: texts)
    }

    /// Makes a change, and waits until the streams have been told.
    ///
    /// - Returns: Whether it was one, of as many versions in each world.
    func make(_ change: Change) -> Bool {
        var replies: [String] = []
        for (world, write) in change.writes.enumerated() {
            let asker = change.isOwn ? askers[world] : .admin
            let reply = servers[world].send(
                write.method, "/v1" + target(write, world), write.body, as: asker)
            #expect(reply.status < 300, "\(change): \(reply.text)")
            replies.append(change.isOwn ? plain(reply, world) : "\(reply.status)")
            settle(world)
        }
        #expect(!change.isOwn || replies[0] == replies[1], "\(change)")
        let versions = servers.map { $0.store.version.number }
        #expect(versions[0] == versions[1], "\(change)")
        return versions[0] == versions[1]
    }

    private func target(_ write: Write, _ world: Int) -> String {
        guard write.target.contains("{through}") else { return write.target }
        let page = servers[world].get("/v1/classes/Reading/outbox", as: askers[world])
        return write.target.replacing(
            "{through}", with: QueryJSON(page.text)?["through"]?.string ?? page.text)
    }

    /// Learns which streams there are, once all are open.
    func notice() {
        live = servers.map { server in
            streamCount == 0 ? [] : server.streams?.liveFollowers(count: streamCount) ?? []
        }
        #expect(live.allSatisfy { $0.count == streamCount })
    }

    /// Waits until the streams of a world have been told of everything.
    private func settle(_ world: Int) {
        guard let hub = servers[world].streams else { return }
        #expect(hub.isDelivered(to: live[world], at: servers[world].store.version.number))
    }
}
