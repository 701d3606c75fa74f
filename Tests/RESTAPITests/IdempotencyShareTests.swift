import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("The room of replies to requests with idempotency keys")
struct IdempotencyShareTests {
    private static let things = "/v1/classes/Thing/objects"

    private static func server(byteCountMax: Int) throws -> RuledServer {
        var options = StoreOptions()
        options.idempotency.byteCountMax = byteCountMax
        let server = try RuledServer(classes: [], options: options)
        for (method, target, body) in [
            (
                "PUT", "/v1/schema",
                #"{"classes":[{"name":"Thing","primaryKey":"id","properties":{"id":"int","by":"string?"}}]}"#
            ),
            (
                "PUT", "/v1/access",
                #"{"roles":{"all":{"classes":{"Thing":{"read":true,"create":true,"update":true}}}}}"#
            ),
        ] {
            let reply = server.send(method, target, body)
            #expect(reply.status == 200, "\(reply.text)")
        }
        return server
    }

    private static func make(
        _ id: Int, _ key: String, _ server: RuledServer, as asker: RuledServer.Key
    ) -> HTTPClient.Reply {
        server.send(
            "POST", things + "?mode=merge", "{\"id\":\(id)}", as: asker,
            headers: [("Idempotency-Key", key)])
    }

    @Test("a busy user is refused new keys once, and takes away nothing of another's")
    func busyUser() throws {
        let server = try Self.server(byteCountMax: 64 << 10)
        let (ann, bob) = (server.user("ann"), server.user("bob"))
        #expect(Self.make(1, "bob's", server, as: bob).status == 201)
        var statuses: [Int] = []
        for id in 2..<200 {
            let reply = Self.make(id, "key \(id)", server, as: ann)
            statuses.append(reply.status)
            guard reply.status == 503 else { continue }
            #expect(reply.text.contains("too-many-idempotency-keys"), "\(reply.text)")
            #expect(reply.headers["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            // A refused request is not done.
            #expect(server.send("GET", Self.things + "/\(id)").status == 404)
        }
        #expect(Set(statuses) == [201, 503])
        // The user's own first request and another user's are still repeats.
        for (id, key, asker) in [(2, "key 2", ann), (1, "bob's", bob)] {
            let again = Self.make(id, key, server, as: asker)
            #expect(again.status == 201 && again.headers["idempotency-replayed"] == "true")
        }
        #expect(Self.make(900, "new", server, as: bob).status == 201)
        #expect(server.send("POST", Self.things, #"{"id":901}"#, as: ann).status == 201)
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }
}
