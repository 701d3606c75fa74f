import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Every write of a user is refused or done as a plain evaluation of the access document says, and leaves what that says: what is not
/// stated, and what is not seen, as it was.
@Suite("Writes of users, and what a plain evaluation of the rules expects of them")
struct WriteOracleTests {
    /// How many requests each shard makes; with both it is 20,000 in `make soak`.
    private static let requestCount = SeededGenerator.isSoak ? 10_000 : 1_000
    private static let shardCount: UInt64 = 2

    @Test("every request comes to what is expected", arguments: 0..<shardCount)
    func oracle(shard: UInt64) throws {
        let first = SeededGenerator.testSeed("writes of users, shard \(shard)")
        var seed = first &+ shard
        var requestCount = 0
        var counts: [String: Int] = [:]
        while requestCount < Self.requestCount {
            defer { seed &+= Self.shardCount }
            var access = PlainAccess(seed: seed)
            let server = try RuledServer(seed % 8 == 3 ? .lmdb : .memory, classes: [])
            var random = SeededGenerator(seed: seed &+ 1)
            guard fill(server, &random) else {
                Issue.record("seed \(seed): it could not be filled")
                return
            }
            let put = server.send("PUT", "/v1/access", access.document)
            guard put.status == 200 else {
                Issue.record("seed \(seed): \(put.text)\n  \(access.document)")
                return
            }
            let ann = server.user(PlainAccess.user)
            var (world, waiting) = try #require(Self.world(of: server))
            for _ in 0..<40 {
                if random.next() % 8 == 0 {
                    // A role is lost or regained.
                    access.isOn.toggle()
                    server.send(
                        "PATCH", "/v1/classes/Person/objects/ann", "{\"on\":\(access.isOn)}")
                }
                var model = WriteModel(access, world, waiting: waiting)
                let request = WriteRequest.make(model, &random)
                let expected = request.run(on: &model)
                let reply = server.send(
                    request.method, request.target + Self.position(of: request, server, ann),
                    request.body, as: ann, type: request.type)
                requestCount += 1
                let present = try #require(Self.world(of: server))
                let outcome = request.outcome(of: reply)
                counts[Self.kind(outcome), default: 0] += 1
                var fault = model.difference(present.world, waiting: present.waiting)
                if !Self.meets(outcome, expected) {
                    fault = "\(outcome), expected \(expected): \(reply.text)"
                }
                if fault == nil, outcome == .done {
                    fault = Self.difference(of: reply, to: request, server, ann)
                }
                let next = WriteModel(access, present.world, waiting: present.waiting)
                fault = fault ?? Self.outboxDifference(next, reply, request, server, ann)
                if let fault {
                    Issue.record(
                        """
                        seed \(seed): \(request)
                          \(fault)
                          \(access.document)
                          \(Self.text(world))
                        """)
                    return
                }
                (world, waiting) = present
            }
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print(
            "writes of users, seeds \(first) to \(seed): \(requestCount) requests, "
                + summary.joined(separator: ", "))
        #expect(counts["done", default: 0] > requestCount / 8)
        #expect(counts["not-allowed", default: 0] > requestCount / 20)
    }

    private static func meets(
        _ outcome: WriteRequest.Outcome, _ expected: WriteRequest.Outcome
    ) -> Bool {
        guard case .refused(let codes) = outcome, case .refused(let all) = expected else {
            return outcome == expected
        }
        return codes.isSubset(of: all)
    }

    private static func kind(_ outcome: WriteRequest.Outcome) -> String {
        switch outcome {
        case .done: "done"
        case .refused(let codes): codes.sorted().joined(separator: " ")
        case .lines(let codes): codes.isEmpty ? "imported" : "imported in part"
        }
    }

    /// The reply shows the object as its user reads it then; nil where it does.
    private static func difference(
        of reply: HTTPClient.Reply, to request: WriteRequest, _ server: RuledServer,
        _ ann: RuledServer.Key
    ) -> String? {
        guard let target = request.shown else { return nil }
        let read = server.get(target, as: ann)
        if read.status == 404 {
            return reply.text.isEmpty && reply.headers["etag"] == nil
                ? nil : "shows \(reply.text), which can't be read"
        }
        if reply.text == read.text { return nil }
        return "shows \(reply.text), and not \(read.text)"
    }

    // MARK: The outbox

    private static let outbox = "/v1/classes/Mail/outbox"

    /// What a request that acknowledges says up to where; nothing of others.
    private static func position(
        of request: WriteRequest, _ server: RuledServer, _ ann: RuledServer.Key
    ) -> String {
        guard let count = request.pageCount else { return "" }
        let page = QueryJSON(server.get(outbox + "?limit=\(count)", as: ann).text)
        return "?through=\(page?["through"]?.string ?? "none")"
    }

    /// The outbox is page by page what its user sees of it, and a reply shows what was put in as it is there; nil where it is so.
    private static func outboxDifference(
        _ model: WriteModel, _ reply: HTTPClient.Reply, _ request: WriteRequest,
        _ server: RuledServer, _ ann: RuledServer.Key
    ) -> String? {
        guard model.access.knows("Mail") else {
            let status = server.get(outbox, as: ann).status
            return status == 404 ? nil : "\(status) for the outbox of an unknown class"
        }
        var found: [QueryJSON] = []
        var through: String?
        while true {
            let since = through.map { "&since=\($0)" } ?? ""
            let page = server.get(outbox + "?limit=2" + since, as: ann)
            guard page.status == 200, let objects = QueryJSON(page.text)?["objects"]?.elements
            else { return "the outbox: \(page.text)" }
            found += objects
            through = QueryJSON(page.text)?["through"]?.string
            if objects.isEmpty { break }
        }
        let seen = model.waiting.filter(model.sees)
        let expected = seen.map { key -> QueryJSON in
            var object: WriteModel.Object = ["id": .int(key.id)]
            for name in WriteModel.names(of: key, in: model) {
                object[name] = model.shown(name, of: key)
            }
            return .object(object)
        }
        if found != expected {
            return "the outbox has \(found.map(\.text)), expected \(expected.map(\.text))"
        }
        guard reply.status == 201, let posted = request.posted else { return nil }
        let shown = seen.firstIndex(of: posted).map { found[$0] }
        return QueryJSON(reply.text) == shown
            ? nil : "shows \(reply.text), and not \(shown?.text ?? "nothing")"
    }

    // MARK: The world

    private func fill(_ server: RuledServer, _ random: inout SeededGenerator) -> Bool {
        func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
        func link() -> Int { Int.random(in: 1...7, using: &random) }
        func vault() -> String {
            let entries = ["a", "b", "c"].filter { _ in pick([true, false]) }
                .map { "\"\($0)\":\(pick(["null", "1", "2", "3", "4"]))" }
            return "{\(entries.joined(separator: ","))}"
        }
        func box(_ index: Int) -> String { "{\"label\":\"l\(index)\",\"vault\":\(vault())}" }
        let lists = (1...7).map { id -> String in
            let others = (0..<pick([0, 1, 2, 4])).map { _ in "\(link())" }.joined(separator: ",")
            return
                "{\"id\":\(id),\"owner\":\(pick(["\"ann\"", "\"ann\"", "\"bob\"", "null"])),\"open\":\(pick([true, false])),\"rank\":\(pick([0, 1, 2, 3, 4])),\"next\":\(pick(["null", "\(link())"])),\"others\":[\(others)],"
                + "\"vault\":\(vault()),\"box\":\(pick(["null", box(0), box(0)])),"
                + "\"boxes\":[\((0..<pick([0, 1, 2, 3])).map(box).joined(separator: ","))]}"
        }
        let tasks = (1...7).map { id in
            "{\"id\":\(id),\"list\":\(pick(["null", "\(link())", "\(link())"])),\"done\":\(pick([true, false])),\"text\":\(pick(["\"x\"", "\"y\"", "null"]))}"
        }
        let mails = (1...4).map { id in
            "{\"id\":\(id),\"list\":\(link()),\"done\":\(pick([true, false])),\"others\":[\(link()),\(link())]}"
        }
        return [
            server.send("PUT", "/v1/schema", PlainAccess.schema),
            server.send(
                "PUT", "/v1/projections/Shown",
                #"{"class":"Task","properties":{"text":"text","far":"list.rank"}}"#),
            server.send("POST", "/v1/classes/Person/objects", #"{"id":"ann","on":true}"#),
            server.send(
                "POST", "/v1/classes/Secret/objects", #"[{"id":1},{"id":2},{"id":3},{"id":4}]"#),
            server.send(
                "POST", "/v1/classes/List/objects", "[\(lists.joined(separator: ","))]"),
            server.send(
                "POST", "/v1/classes/Task/objects", "[\(tasks.joined(separator: ","))]"),
            server.send("POST", "/v1/classes/Mail/objects", "[\(mails.joined(separator: ","))]"),
        ].allSatisfy { $0.status < 300 }
    }

    /// Everything that there is, as the administrator reads it.
    private static func world(
        of server: RuledServer
    ) -> (world: WriteModel.World, waiting: [WriteModel.Key])? {
        var world: WriteModel.World = [:]
        var waiting: [WriteModel.Key] = []
        for target in ["List/objects", "Task/objects", "Mail/outbox", "Secret/objects"] {
            let name = String(target.prefix { $0 != "/" })
            let reply = server.send("GET", "/v1/classes/\(target)?limit=1000")
            guard let objects = QueryJSON(reply.text)?["objects"] else { return nil }
            for case .object(let members) in objects.elements {
                guard let id = members["id"]?.int else { return nil }
                let key = WriteModel.Key(className: name, id: id)
                world[key] = members
                if name == "Mail" { waiting.append(key) }
            }
        }
        return (world, waiting)
    }

    private static func text(_ world: WriteModel.World) -> String {
        world.sorted { $0.key < $1.key }.map {
            "\($0.key.className) \(QueryJSON.object($0.value).text)"
        }
        .joined(separator: "\n  ")
    }
}
