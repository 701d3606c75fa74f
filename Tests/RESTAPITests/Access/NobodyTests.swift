import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Requests without a token where one is needed.
@Suite("Nobody")
struct NobodyTests {
    @Test("reads what a role lets anyone read, and knows of nothing else")
    func reads() throws {
        let world = try TaskWorld()
        let server = world.server
        let country = server.get("/v1/classes/Country/objects/fr", as: .nobody)
        #expect(country.status == 200 && country.text.contains("France"))
        for target in ["Task/objects", "Task/objects/1", "Record/objects", "Person/objects/ann"] {
            let reply = server.get("/v1/classes/\(target)", as: .nobody)
            #expect(reply.status == 404 && reply.text.contains("unknown-class"), "\(reply.text)")
        }
        let schema = server.get("/v1/schema", as: .nobody).text
        #expect(schema.contains("Country") && !schema.contains("Task"), "\(schema)")
        #expect(!server.get("/v1/projections", as: .nobody).text.contains("Short"))
    }

    @Test("may ask for nothing that is not made for users, nor with a token that is wrong")
    func refusals() throws {
        let world = try TaskWorld()
        let server = world.server
        for target in [
            "/v1/me", "/v1/export", "/metrics", "/v1/access", "/v1/tokens", "/v1/backups",
        ] {
            #expect(server.get(target, as: .nobody).status == 401, "\(target)")
        }
        #expect(server.send("PUT", "/v1/schema", "{}", as: .nobody).status == 401)
        let wrong = server.get("/v1/classes/Country/objects/fr", as: .token("hf_nonsense"))
        #expect(wrong.status == 401)
    }

    @Test("has no idempotency keys, which would be those of all visitors")
    func keys() throws {
        let server = try RuledServer(classes: [])
        server.send(
            "PUT", "/v1/schema/classes/Order",
            #"{"primaryKey":"id","properties":{"id":"uuid","what":"string"}}"#)
        server.send(
            "PUT", "/v1/access",
            #"{"roles":{"shop":{"for":"anyone","classes":{"Order":{"create":true}}}}}"#)
        let (target, body) = ("/v1/classes/Order/objects", #"{"what":"bread"}"#)
        let key = [("Idempotency-Key", "1")]
        let refused = server.send("POST", target, body, as: .nobody, headers: key)
        #expect(
            refused.status == 400 && refused.text.contains("Idempotency-Key"), "\(refused.text)")
        #expect(server.send("POST", target, body, as: .nobody).status == 201)
        // A user has their own, by another's name too.
        let ann = server.user("ann")
        for isReplayed in [false, true] {
            let reply = server.send("POST", target, body, as: ann, headers: key)
            #expect(reply.status == 201)
            #expect((reply.headers["idempotency-replayed"] != nil) == isReplayed)
        }
        #expect(
            server.get(target + "?count=exact&limit=1", as: .admin).text.contains(#""count":2"#))
    }

    @Test("sends bodies of 16 KiB at most", arguments: ["objects", "import", "query"])
    func bodies(operation: String) throws {
        let server = try RuledServer(classes: [])
        server.send(
            "PUT", "/v1/schema/classes/Order",
            #"{"primaryKey":"id","properties":{"id":"int","what":"string"}}"#)
        server.send(
            "PUT", "/v1/access",
            #"{"roles":{"shop":{"for":"anyone","classes":{"Order":{"create":true,"read":true}}}}}"#)
        func send(_ byteCount: Int, as asker: RuledServer.Key) -> Int {
            let text = String(repeating: "x", count: byteCount)
            let isQuery = operation == "query"
            return server.send(
                "POST", "/v1/classes/Order/\(operation)",
                isQuery
                    ? "{\"filter\":\"what == '\(text)'\"}"
                    : "{\"id\":\(byteCount),\"what\":\"\(text)\"}",
                as: asker,
                type: operation == "import" ? "application/x-ndjson" : "application/json"
            ).status
        }
        #expect(send(15_000, as: .nobody) < 300)
        for byteCount in [16_400, 200_000, 2_000_000] {
            #expect(send(byteCount, as: .nobody) == 413)
        }
        #expect(send(17_000, as: server.user("ann")) < 300)
    }

    @Test("needs a token where no role is for anyone, before the document and behind it")
    func roles() throws {
        let world = try TaskWorld()
        let server = world.server
        let target = "/v1/classes/Country/objects/fr"
        #expect(server.get(target, as: .nobody).status == 200)
        let document = #"{"roles":{"a":{"classes":{"*":{"read":true}}}}}"#
        #expect(server.send("PUT", "/v1/access", document).status == 200)
        let reply = server.get(target, as: .nobody)
        #expect(reply.status == 401 && reply.text.contains("token-missing"))
        let fresh = try RuledServer(classes: [])
        #expect(fresh.get("/v1/schema", as: .nobody).status == 401)
    }

    @Test("is the operator, whatever the document says, where no token is needed")
    func open() throws {
        let server = try TestServer(schema: Importing.nodes)
        let document = #"{"roles":{"a":{"for":"anyone","classes":{}}}}"#
        #expect(server.send("PUT", "/v1/access", document).status == 200)
        #expect(server.send("GET", "/v1/classes/Node/objects").status == 200)
    }
}
