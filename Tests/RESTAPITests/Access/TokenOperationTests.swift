import HoldfastAccess
import Glibc
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Tokens that are listed and changed over HTTP, and by the mailbox of the store's folder.
@Suite("Operations on tokens")
struct TokenOperationTests {
    private static func send(
        _ server: GuardedServer, _ method: String, _ target: String, _ body: String? = nil
    ) -> HTTPClient.Reply {
        server.send(
            method, target,
            (server.tokens.isEmpty ? [] : [server.authorization(.admin)])
                + (body == nil ? [] : [("Content-Type", "application/json")]), body: body)
    }

    private static func status(_ server: GuardedServer, _ token: String) -> Int {
        server.send("GET", "/v1", [("Authorization", "Bearer \(token)")]).status
    }

    @Test("a token is made, listed, changed and revoked, and each change holds at once")
    func life() throws {
        let server = try GuardedServer(withTokens: true)
        let made = Self.send(server, "POST", "/v1/tokens", #"{"name":"reports","right":"read"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(made.headers["location"] == "/v1/tokens/reports")
        #expect(made.headers["cache-control"] == "no-store")
        let token = try #require(QueryJSON(made.text)?["token"]?.string)
        #expect(token.hasPrefix("hf_") && token.utf8.count == 46)
        #expect(Self.status(server, token) == 200)
        let listed = Self.send(server, "GET", "/v1/tokens")
        #expect(listed.status == 200)
        #expect(listed.text.contains(#"{"name":"reports","right":"read","created":"20"#))
        #expect(!listed.text.contains(token))
        let client = ChangesClient(
            port: server.port, "/v1/changes", headers: [("Authorization", "Bearer \(token)")])
        #expect(client.next()?.name == "hello")
        let put = {
            server.send(
                "PUT", "/v1/classes/Node/objects/1",
                [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")],
                body: #"{"label":"x"}"#
            ).status
        }
        #expect(put() == 403)
        let raised = Self.send(server, "PATCH", "/v1/tokens/reports", #"{"right":"write"}"#)
        #expect(raised.status == 200 && raised.text.contains(#""right":"write""#))
        #expect(put() == 201)
        #expect(
            Self.send(server, "PATCH", "/v1/tokens/reports", #"{"right":"read"}"#).status == 200)
        #expect(put() == 403)
        #expect(Self.send(server, "DELETE", "/v1/tokens/reports").status == 204)
        #expect(Self.status(server, token) == 401)
        #expect(client.events(to: "error").last?.json["code"]?.string == "access-ended")
        #expect(Self.send(server, "DELETE", "/v1/tokens/reports").status == 404)
    }

    @Test(
        "what is no token is refused, and says what is wrong",
        arguments: [
            ("POST", "/v1/tokens", #"{"name":"read","right":"read"}"#, 409, "token-exists"),
            ("POST", "/v1/tokens", #"{"name":"a b","right":"read"}"#, 422, "/name"),
            ("POST", "/v1/tokens", #"{"name":"a","right":"owner"}"#, 422, "/right"),
            ("POST", "/v1/tokens", #"{"name":"a"}"#, 422, "/right"),
            ("POST", "/v1/tokens", #"{"right":"read"}"#, 422, "/name"),
            ("POST", "/v1/tokens", #"{"name":1,"right":"read"}"#, 400, "invalid-body"),
            ("POST", "/v1/tokens", #"{"name":"a","right":"read","x":1}"#, 400, "invalid-body"),
            ("POST", "/v1/tokens", "[]", 400, "invalid-body"),
            ("POST", "/v1/tokens", #"{"name":"a","name":"a","right":"read"}"#, 400, "invalid-body"),
            ("POST", "/v1/tokens", #"{"name":"a","right":"read","user":""}"#, 422, "/user"),
            ("POST", "/v1/tokens", #"{"name":"a","right":"read","user":"a\u0000"}"#, 422, "/user"),
            (
                "POST", "/v1/tokens", #"{"name":"a","right":"read","claims":{"a":1}}"#, 422,
                "/claims"
            ),
            (
                "POST", "/v1/tokens", #"{"name":"a","right":"read","user":"u","claims":[]}"#, 422,
                "/claims"
            ),
            (
                "POST", "/v1/tokens",
                #"{"name":"a","right":"read","user":"u","claims":{"b":{"a":1,"a":2}}}"#, 422,
                "'a' is claimed twice"
            ),
            (
                "POST", "/v1/tokens", #"{"name":"a","right":"read","expires":"soon"}"#, 422,
                "/expires"
            ),
            (
                "POST", "/v1/tokens",
                #"{"name":"a","right":"read","expires":"2020-01-01T00:00:00Z"}"#,
                422, "in the past"
            ),
            ("PATCH", "/v1/tokens/read", #"{"user":"u"}"#, 422, "/user"),
            ("PATCH", "/v1/tokens/read", #"{"claims":{"a":1}}"#, 422, "/claims"),
            ("PATCH", "/v1/tokens/nobody", #"{"right":"read"}"#, 404, "token-not-found"),
            ("PATCH", "/v1/tokens/read", #"{"name":"other"}"#, 422, "/name"),
            ("PATCH", "/v1/tokens/read", "{}", 422, "/right"),
            ("DELETE", "/v1/tokens/nobody", nil, 404, "token-not-found"),
        ] as [(String, String, String?, Int, String)])
    func faults(method: String, target: String, body: String?, status: Int, part: String) throws {
        let server = try GuardedServer(withTokens: true)
        let reply = Self.send(server, method, target, body)
        #expect(reply.status == status && reply.text.contains(part), "\(reply.text)")
    }

    @Test("a token says whose it is and until when, and tells its bearer who they are")
    func caller() throws {
        let server = try GuardedServer(withTokens: true)
        let terms = #""user":"ann","claims":{"groups":["editor"]},"expires":"2999-01-01T00:00:00Z""#
        let made = Self.send(
            server, "POST", "/v1/tokens", "{\"name\":\"ann\",\"right\":\"metrics\",\(terms)}")
        #expect(made.status == 201 && made.text.contains(terms), "\(made.text)")
        let token = try #require(QueryJSON(made.text)?["token"]?.string)
        let bearer = ("Authorization", "Bearer \(token)")
        let me = server.send("GET", "/v1/me", [bearer])
        #expect(me.text == "{\"token\":\"ann\",\"right\":\"metrics\",\(terms)}")
        #expect(server.send("GET", "/metrics", [bearer]).status == 200)
        #expect(server.send("GET", "/v1", [bearer]).status == 403)
        #expect(Self.send(server, "GET", "/v1/tokens").text.contains(terms))
        let open = try GuardedServer(withTokens: false)
        #expect(open.send("GET", "/v1/me").text == #"{"right":"admin"}"#)
    }

    @Test("the streams of a token end when its time is over")
    func expiry() throws {
        let server = try GuardedServer(withTokens: true)
        let end = Timestamp(seconds: Timestamp.now().seconds + 15, nanoseconds: 0)
        let made = Self.send(
            server, "POST", "/v1/tokens",
            "{\"name\":\"brief\",\"right\":\"read\",\"expires\":\"\(end)\"}")
        let token = try #require(QueryJSON(made.text)?["token"]?.string)
        let client = ChangesClient(
            port: server.port, "/v1/changes", headers: [("Authorization", "Bearer \(token)")])
        #expect(client.next()?.name == "hello")
        #expect(client.events(to: "error").last?.json["code"]?.string == "access-ended")
        #expect(Self.status(server, token) == 401)
    }

    @Test("a token's reply is not stored for a repeat of its request")
    func idempotency() throws {
        let server = try GuardedServer(withTokens: true)
        let reply = server.send(
            "POST", "/v1/tokens",
            [
                server.authorization(.admin), ("Content-Type", "application/json"),
                ("Idempotency-Key", "k"),
            ], body: #"{"name":"a","right":"read"}"#)
        #expect(reply.status == 400, "\(reply.text)")
    }

    @Test("an idempotency key is its token's, however the header that names it is written")
    func keyOfToken() throws {
        let server = try GuardedServer(withTokens: true)
        func post(_ scheme: String, _ right: Right) -> HTTPClient.Reply {
            server.send(
                "POST", "/v1/classes/Loose/objects",
                [
                    ("Authorization", "\(scheme) \(server.tokens[right] ?? "")"),
                    ("Content-Type", "application/json"), ("Idempotency-Key", "k"),
                ], body: #"{"label":"one"}"#)
        }
        #expect(post("Bearer", .write).headers["idempotency-replayed"] == nil)
        #expect(post("bearer", .write).headers["idempotency-replayed"] == "true")
        #expect(post("Bearer", .admin).headers["idempotency-replayed"] == nil)
    }

    @Test(
        "the first token is answered, and needed from then on, after a restart and in a restored store, too"
    )
    func first() throws {
        let server = try GuardedServer(withTokens: false)
        #expect(server.send("GET", "/v1").status == 200)
        let made = Self.send(server, "POST", "/v1/tokens", #"{"name":"first","right":"admin"}"#)
        let token = try #require(QueryJSON(made.text)?["token"]?.string)
        for _ in 0..<2 {
            #expect(server.send("GET", "/v1").status == 401)
            #expect(Self.status(server, token) == 200)
            try server.restart()
        }
        let restored = try server.restoredStore()
        defer { restored.close() }
        let table = try AccessTokens(restored, logger: Logger(level: .error))
        #expect(table.isEnforced)
        #expect(Array(token.utf8).withUnsafeBytes { table.access(of: $0)?.right } == .admin)
        let text = server.send("GET", "/v1/export", [("Authorization", "Bearer \(token)")]).text
        #expect(!text.contains("first"), "an export has no token")
        let revoked = server.send(
            "DELETE", "/v1/tokens/first", [("Authorization", "Bearer \(token)")])
        #expect(revoked.status == 204)
        try server.restart()
        #expect(server.send("GET", "/v1").status == 401, "the last one that ends opens nothing")
    }

    @Test("an operator's command is carried out by the service that has the store")
    func mailbox() throws {
        let server = try GuardedServer(withTokens: false)
        let mailbox = TokenMailbox(directory: server.directory.path)
        let secret = try TokenSecret()
        let client = ChangesClient(port: server.port, "/v1/changes")
        #expect(client.next()?.name == "hello")
        let command = TokenCommand.create(
            TokenMembers(name: "ops", right: .admin), hash: secret.hash)
        #expect(try mailbox.ask(command, seconds: 60) == "")
        #expect(Self.status(server, secret.text) == 200)
        #expect(server.send("GET", "/v1").status == 401)
        #expect(client.events(to: "error").last?.json["code"]?.string == "access-ended")
        #expect(try mailbox.ask(.list, seconds: 60).hasPrefix("ops\tadmin\t20"))
        #expect(
            try mailbox.ask(.change(name: "ops", TokenMembers(right: .read)), seconds: 60) == "")
        #expect(Self.send(server, "GET", "/v1/tokens").status == 401)
        // The same command again is no fault, such as after an answer that was not read.
        #expect(throws: Never.self) { try mailbox.ask(.list, seconds: 60) }
        #expect(try mailbox.ask(.revoke(name: "ops"), seconds: 60) == "")
        #expect(Self.status(server, secret.text) == 401)
        #expect {
            try mailbox.ask(.revoke(name: "ops"), seconds: 60)
        } throws: { error in
            guard case .refused(let detail) = error as? TokenMailbox.Failure else { return false }
            return detail.contains("no token named 'ops'")
        }
    }

    @Test(
        "a token for some classes knows no others, and ends what it has begun with others"
    )
    func classes() throws {
        let server = try GuardedServer(withTokens: true)
        let made = Self.send(
            server, "POST", "/v1/tokens",
            #"{"name":"nodes","right":"write","classes":["Node"]}"#)
        #expect(made.status == 201 && made.text.contains(#""classes":["Node"]"#), "\(made.text)")
        let token = try #require(QueryJSON(made.text)?["token"]?.string)
        func get(_ target: String) -> HTTPClient.Reply {
            server.send("GET", target, [("Authorization", "Bearer \(token)")])
        }
        #expect(get("/v1/me").text.contains(#""classes":["Node"]"#))
        #expect(get("/v1/changes").status == 403 && get("/v1/changes").text.contains("not-allowed"))
        #expect(get("/v1/classes/Node/objects").status == 200)
        #expect(get("/v1/classes/Loose/objects").status == 404)
        let path = "/v1/tokens/nodes"
        #expect(Self.send(server, "PATCH", path, #"{"right":"admin"}"#).status == 422)
        #expect(Self.send(server, "PATCH", path, #"{"classes":["a","a"]}"#).status == 422)
        #expect(Self.send(server, "PATCH", path, #"{"classes":[]}"#).status == 200)
        #expect(get("/v1/classes/Node/objects").status == 200)
        let stream = ChangesClient(
            port: server.port, "/v1/changes", headers: [("Authorization", "Bearer \(token)")])
        #expect(stream.next()?.name == "hello")
        #expect(Self.send(server, "PATCH", path, #"{"classes":["Node"]}"#).status == 200)
        #expect(stream.next()?.name == "error")
        #expect(get("/v1/classes/Loose/objects").status == 404)
    }

    @Test("what a token has begun ends when something else is claimed of its user")
    func claims() throws {
        let server = try GuardedServer(withTokens: true)
        let document =
            #"{"roles":{"editor":{"when":"'editor' IN $user.groups","classes":{"*":{"read":true}}}}}"#
        #expect(Self.send(server, "PUT", "/v1/access", document).status == 200)
        let made = Self.send(
            server, "POST", "/v1/tokens",
            #"{"name":"eve","right":"read","user":"eve","claims":{"groups":["editor"]}}"#)
        let token = try #require(QueryJSON(made.text)?["token"]?.string)
        let header = ("Authorization", "Bearer \(token)")
        let stream = ChangesClient(
            port: server.port, "/v1/classes/Node/changes", headers: [header])
        #expect(stream.next()?.name == "hello")
        let waiting = HTTPClient(port: server.port)
        waiting.beginPoll("/v1/classes/Node/changes", headers: [header])
        server.awaitWaiting(2)
        #expect(Self.send(server, "PATCH", "/v1/tokens/eve", #"{"claims":{}}"#).status == 200)
        let end = stream.next()
        #expect(end?.name == "error" && end?.json["code"]?.string == "access-ended")
        #expect(waiting.finish().text.contains("access-ended"))
        #expect(server.send("GET", "/v1/classes/Node/objects", [header]).status == 404)
    }

    @Test("changes of tokens, schema and projections are told to the log, with who made them")
    func audit() throws {
        let text = try written { descriptor in
            let server = try GuardedServer(
                withTokens: true, logger: Logger(level: .notice, descriptor: descriptor))
            let body = #"{"properties":{"id":"int"},"primaryKey":"id"}"#
            for (method, target, body, status) in [
                ("POST", "/v1/tokens", #"{"name":"reports","right":"read"}"#, 201),
                ("POST", "/v1/tokens", #"{"name":"reports","right":"read"}"#, 409),
                ("PATCH", "/v1/tokens/reports", #"{"right":"write"}"#, 200),
                ("DELETE", "/v1/tokens/reports", nil, 204), ("GET", "/v1/tokens", nil, 200),
                ("PUT", "/v1/access/users/ann", #"{"blocked":true}"#, 200),
                ("PUT", "/v1/schema/classes/New?dryRun=true", body, 200),
                ("PUT", "/v1/schema/classes/New", body, 201),
                ("PUT", "/v1/schema/classes/New", "{}x", 400),
                ("PUT", "/v1/projections/P", #"{"class":"New","properties":{"a":"id"}}"#, 201),
            ] as [(String, String, String?, Int)] {
                #expect(Self.send(server, method, target, body).status == status, "\(target)")
            }
            let export = Self.send(server, "GET", "/v1/export").text
            let header = String(export.prefix { $0 != "\n" })
            let type = ("Content-Type", "application/x-ndjson")
            for name in ["P", "Q"] {
                let text = header.replacing("\"P\"", with: "\"\(name)\"")
                let reply = server.send(
                    "POST", "/v1/import?mode=ignore", [server.authorization(.admin), type],
                    body: text)
                #expect(reply.status == 200, "\(reply.text)")
            }
            let mailbox = TokenMailbox(directory: server.directory.path)
            _ = try mailbox.ask(.list, seconds: 60)
            _ = try mailbox.ask(.revoke(name: "read"), seconds: 60)
            let newest =
                QueryJSON(Self.send(server, "GET", "/v1/audit").text)?["lines"]?.elements ?? []
            #expect(
                newest.prefix(2).map { $0["operation"]?.string ?? "-" } == [
                    "deleteToken", "importStore",
                ])
            #expect(newest.count == 8)
        }
        #expect(!text.contains("hf_"))
        let lines = text.split(separator: "\n").compactMap { QueryJSON(String($0)) }.filter {
            $0["message"]?.string == "audit"
        }
        let told = lines.map { line in
            ["operation", "path", "token", "principal"].map { line[$0]?.string ?? "-" }
                .joined(separator: " ")
        }
        #expect(
            told == [
                "createToken /v1/tokens reports admin", "patchToken /v1/tokens/reports - admin",
                "deleteToken /v1/tokens/reports - admin",
                "putUserAccess /v1/access/users/ann - admin",
                "putClass /v1/schema/classes/New - admin",
                "putProjection /v1/projections/P - admin", "importStore /v1/import - admin",
                "deleteToken - read operator",
            ])
        #expect(lines.first?["client"]?.string?.hasPrefix("127.0.0.1:") ?? false)
        let id = lines.first?["requestId"]?.string ?? ""
        #expect(!id.isEmpty)
    }
}
