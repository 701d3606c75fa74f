import HoldfastAccess
import Glibc
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Synchronization
import Testing

@testable import HoldfastRESTAPI

/// Users who come with JSON Web Tokens.
@Suite("A user with a JSON Web Token")
struct SignedInUserTests {
    private static let signer = SampleSigner(curve: .p256)
    private static let strange = SampleSigner(curve: .p256)

    /// Whether a key was taken away.
    private final class Withdrawal: Sendable {
        let isDone = Mutex(false)
    }

    static func webTokens(
        _ document: @escaping @Sendable () -> String = { signer.jwk(#""kid":"one""#) }
    ) throws -> WebTokens {
        let keys = SigningKeys(
            allowsSecrets: false,
            source: { () throws(SigningKeyFailure) in Array(document().utf8) }, report: { _ in })
        try keys.read()
        return WebTokens(keys: keys, issuer: "https://id.example", audience: "tasks")
    }

    static func token(
        _ user: String = "ann", ending seconds: Int64 = 300, _ more: String = ""
    )
        -> String
    {
        signer.token(
            "ES256",
            #"{"iss":"https://id.example","aud":"tasks","sub":"\#(user)","exp":\#(Int64(time(nil)) + seconds)\#(more)}"#
        )
    }

    static func me(_ server: GuardedServer, _ token: String) -> HTTPClient.Reply {
        server.send("GET", "/v1/me", [("Authorization", "Bearer \(token)")])
    }

    @Test("is told who they are, and what is claimed of them", arguments: [false, true])
    func caller(withTokens: Bool) throws {
        let server = try GuardedServer(withTokens: withTokens, webTokens: try Self.webTokens())
        let token = Self.token("ann", ending: 300, #","groups":["editor"]"#)
        for _ in 0..<2 {
            let reply = Self.me(server, token)
            #expect(reply.status == 200, "\(reply.text)")
            let json = try #require(QueryJSON(reply.text))
            #expect(json["user"]?.string == "ann" && json["right"] == nil && json["token"] == nil)
            #expect(json["claims"]?["groups"]?.elements.first?.string == "editor")
            #expect(json["expires"]?.string?.hasPrefix("20") == true)
        }
        // Where an issuer is named nobody goes without a token.
        #expect(server.send("GET", "/v1/me").status == 401)
        #expect(server.send("GET", "/v1").status == 401)
    }

    @Test("asks as often with many tokens as with one, and others by themselves")
    func rate() throws {
        let server = try GuardedServer(withTokens: true, webTokens: try Self.webTokens()) {
            $0.requestRateMax = 1
        }
        // Each token is new: what was counted was counted for the user.
        let isLimited = (0..<20).contains { number in
            Self.me(server, Self.token("ann", ending: 300 + Int64(number))).status == 429
        }
        #expect(isLimited)
        #expect(Self.me(server, Self.token("bob")).status == 200)
    }

    @Test("has what is theirs with the next token, too")
    func renewed() throws {
        let server = try GuardedServer(withTokens: true, webTokens: try Self.webTokens()) {
            $0.userStreamCountMax = 1
        }
        func send(
            _ method: String, _ target: String, _ body: String? = nil, _ header: (String, String),
            _ more: [(String, String)] = []
        ) -> HTTPClient.Reply {
            server.send(
                method, target,
                [header] + more
                    + (body == nil ? [] : [("Content-Type", "application/json")]), body: body)
        }
        let rules = #"{"roles":{"all":{"classes":{"*":{"read":true,"create":true}}}}}"#
        #expect(send("PUT", "/v1/access", rules, server.authorization(.admin)).status == 200)
        func header(_ seconds: Int64, _ user: String = "ann") -> (String, String) {
            ("Authorization", "Bearer \(Self.token(user, ending: seconds))")
        }
        let (first, next, other) = (header(300), header(301), header(300, "bob"))
        let key = [("Idempotency-Key", "\"k\"")]
        let target = "/v1/classes/Node/objects"
        for id in 1...3 {
            let made = send("POST", target, "{\"id\":\(id)}", first, id == 1 ? key : [])
            #expect(made.status == 201, "\(made.text)")
        }
        let again = send("POST", target, #"{"id":1}"#, next, key)
        #expect(again.status == 201 && again.headers["idempotency-replayed"] == "true")
        #expect(send("POST", target, #"{"id":1}"#, other, key).status == 409)

        let page = send("GET", target + "?limit=1&snapshot=new", nil, first)
        let snapshot = try #require(page.headers["holdfast-snapshot"], "\(page.text)")
        let cursor = try #require(QueryJSON(page.text)?["next"]?.string)
        for more in ["?limit=1&cursor=\(cursor)", "?snapshot=\(snapshot)"] {
            #expect(send("GET", target + more, nil, next).status == 200, "\(more)")
            #expect(send("GET", target + more, nil, other).status >= 400, "\(more)")
        }

        let made = send("POST", "/v1/streams", #"{"queries":{"n":{"class":"Node"}}}"#, first)
        let stream = try #require(made.headers["location"], "\(made.text)")
        #expect(send("GET", stream, nil, other, [("Accept", "text/event-stream")]).status == 404)
        let client = ChangesClient(port: server.port, stream, headers: [next])
        #expect(client.next()?.name == "hello")
        // One stream for a user, whatever their tokens.
        let more = send("GET", "/v1/classes/Node/changes", nil, first, [("Prefer", "wait=10")])
        #expect(more.status == 429, "\(more.text)")
    }

    @Test("may do nothing else, and a token of the store what it could")
    func rights() throws {
        let server = try GuardedServer(withTokens: true, webTokens: try Self.webTokens())
        let store = try TestServer(schema: Importing.nodes)
        let header = ("Authorization", "Bearer \(Self.token())")
        for operation in Operation.all where operation.right != nil && operation.id != "getCaller" {
            let route = operation.route(store.service)
            let target = route.pattern.replacing("{class}", with: "Node")
                .replacing("{id}", with: "1").replacing("{property}", with: "label")
            let reply = server.send(
                route.method.name.description, target, [header])
            #expect(reply.status == 403, "\(operation.id)")
            #expect(
                route.method == .head || reply.text.contains("not-allowed"), "\(operation.id)")
        }
        #expect(server.send("GET", "/health/live").status == 200)
        #expect(server.send("GET", "/v1", [server.authorization(.read)]).status == 200)
        #expect(
            server.send("GET", "/v1/me", [server.authorization(.metrics)]).text
                .contains(#""right":"metrics""#))
    }

    @Test("may write what is claimed of them, and nothing where less is claimed, or something else")
    func writes() throws {
        let server = try GuardedServer(withTokens: true, webTokens: try Self.webTokens())
        func send(
            _ method: String, _ target: String, _ body: String?, _ header: (String, String)
        ) -> HTTPClient.Reply {
            server.send(
                method, target, [header, ("Content-Type", "application/json")], body: body)
        }
        let document = #"""
            {"roles":{"reader":{"classes":{"Node":{"read":true}}},
              "editor":{"when":"'editor' IN $user.groups","classes":{"Node":{"create":"label == $user.topic",
                "update":"label == $user.topic","delete":"label IN $user.done"}}}}}
            """#
        let set = send("PUT", "/v1/access", document, server.authorization(.admin))
        #expect(set.status == 200, "\(set.text)")
        let node = "/v1/classes/Node/objects/"
        func reply(
            _ method: String, _ key: Int, _ body: String?, claiming claims: String
        ) -> HTTPClient.Reply {
            let token = Self.token("ann", ending: 300, claims)
            return send(method, "\(node)\(key)", body, ("Authorization", "Bearer \(token)"))
        }
        let tea = #"{"label":"tea"}"#
        let all = #","groups":["editor"],"topic":"tea","done":["milk","tea"]"#
        #expect(reply("PUT", 1, tea, claiming: all).status == 201)
        #expect(reply("PATCH", 1, #"{"others":[1]}"#, claiming: all).status == 200)
        for claims in [
            "", #","topic":"tea","done":["tea"]"#, #","groups":["editor"]"#,
            #","groups":["writer"],"topic":"tea","done":["tea"]"#,
            #","groups":null,"topic":"tea","done":["tea"]"#,
            #","groups":["editor"],"topic":null,"done":null"#,
            #","groups":["editor"],"topic":5,"done":[5]"#,
            #","groups":["editor"],"topic":{"tea":"tea"},"done":{"tea":"tea"}"#,
            #","groups":["editor"],"topic":"milk","done":["milk"]"#,
        ] {
            for (method, key, body) in [
                ("PUT", 2, tea), ("PATCH", 1, #"{"others":[]}"#), ("DELETE", 1, nil),
            ] {
                let refused = reply(method, key, body, claiming: claims)
                #expect(
                    refused.status == 403 && refused.text.contains("not-allowed"),
                    "\(method) of \(claims): \(refused.text)")
            }
        }
        // Neither may what is claimed be left behind.
        #expect(reply("PATCH", 1, #"{"label":"milk"}"#, claiming: all).status == 403)
        #expect(reply("PUT", 2, #"{"label":"milk"}"#, claiming: all).status == 403)
        let kept = send("GET", "\(node)1", nil, server.authorization(.admin))
        #expect(kept.text.contains(#""label":"tea","next":null,"others":[1]"#), "\(kept.text)")
        #expect(send("GET", "\(node)2", nil, server.authorization(.admin)).status == 404)
        #expect(reply("DELETE", 1, nil, claiming: all).status == 204)
    }

    @Test("is refused with a token that is wrong, and the answer says why")
    func refusals() throws {
        let server = try GuardedServer(withTokens: true, webTokens: try Self.webTokens())
        for (token, detail) in [
            (Self.token(ending: -61), "expired"), ("eyJhbGciOiJub25lIn0.e30.", "not signed"),
            (String(Self.token().dropLast(8)) + "AAAAAAAA", "signature"), ("nonsense", "neither"),
            (Self.strange.token("ES256", "{}"), "signature"),
            (Self.strange.token("ES256", "{}", kid: "x"), "not known"),
        ] {
            let reply = Self.me(server, token)
            #expect(reply.status == 401 && reply.text.contains("token-invalid"), "\(reply.text)")
            #expect(reply.text.contains(detail), "\(reply.text)")
            #expect(reply.headers["www-authenticate"]?.contains("invalid_token") == true)
        }
    }

    @Test("is taken for a minute after the token's end, and not longer")
    func leeway() throws {
        let server = try GuardedServer(withTokens: true, webTokens: try Self.webTokens())
        let token = Self.token(ending: 1)
        #expect(Self.me(server, token).status == 200)
        let late = Self.token(ending: -58)
        #expect(Self.me(server, late).status == 200)
        sleep(3)
        #expect(Self.me(server, token).status == 200)
        #expect(Self.me(server, late).status == 401)
    }

    @Test("is refused when the token's key was taken away, though it was seen before")
    func withdrawnKey() throws {
        let withdrawal = Withdrawal()
        let tokens = try Self.webTokens {
            withdrawal.isDone.withLock { $0 }
                ? Self.strange.jwk(#""kid":"two""#) : Self.signer.jwk(#""kid":"one""#)
        }
        let server = try GuardedServer(withTokens: true, webTokens: tokens)
        let token = Self.token()
        #expect(Self.me(server, token).status == 200)
        withdrawal.isDone.withLock { $0 = true }
        #expect(Self.me(server, token).status == 200)
        try tokens.keys.read()
        #expect(Self.me(server, token).status == 401)
    }

    @Test("has the same number with each token, and another one than others have")
    func numbers() throws {
        let key = [UInt8](repeating: 7, count: 32)
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        let users = SignedInUsers(
            try Self.webTokens(), accounts: StoredAccounts(store), key: key, barred: [])
        func owner(_ token: String) throws -> UInt64? {
            try Array(token.utf8).withUnsafeBytes { try users.grant($0)?.owner }
        }
        let ann = try owner(Self.token("ann"))
        #expect(try owner(Self.token("ann", ending: 400)) == ann && ann != 0)
        #expect(try owner(Self.token("eve")) != ann)
    }

    @Test("tokens that were seen are kept while there is room, those asked for longest")
    func room() throws {
        var seen = SeenTokens(byteCountMax: 10_000)
        func digest(_ number: Int) throws -> TokenHash {
            try #require(Array("\(number)".utf8).withUnsafeBytes { TokenHash(of: $0) })
        }
        for number in 0..<1000 {
            seen.add(
                Grant(owner: UInt64(number)), of: try digest(number), under: 1,
                byteCount: 100)
            #expect(seen.grant(of: try digest(0), under: 1)?.owner == 0)
            #expect(seen.count <= 40)
        }
        #expect(seen.grant(of: try digest(999), under: 1)?.owner == 999)
        #expect(seen.grant(of: try digest(999), under: 2) == nil)
        #expect(seen.grant(of: try digest(500), under: 1) == nil)
    }
}
