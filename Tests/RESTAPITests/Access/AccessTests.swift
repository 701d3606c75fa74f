import HoldfastAccess
import HoldfastHTTPServer
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("Access")
struct AccessTests {
    /// A request of each operation, without a body where one is needed: what matters is who is refused.
    private static func request(_ route: Route) -> (method: String, target: String) {
        let parts = route.pattern.dropFirst().split(
            separator: "/", omittingEmptySubsequences: false)
        let target = parts.map { part in
            switch part {
            case "{class}": "Node"
            case "{id}": "1"
            case "{property}": "others"
            default: String(part)
            }
        }.joined(separator: "/")
        return (route.method.name.description, "/" + target)
    }

    @Test("needs a token with the operation's right")
    func rights() throws {
        let server = try GuardedServer(withTokens: true)
        let store = try TestServer(schema: Importing.nodes)
        // Streams have no end of their own.
        for operation in Operation.all where !operation.id.hasPrefix("stream") {
            let route = operation.route(store.service)
            let (method, target) = Self.request(route)
            let needed = operation.right
            let open = server.send(method, target)
            if let needed {
                #expect(open.status == 401, "\(route.operationID)")
                #expect(open.headers["www-authenticate"] == "Bearer realm=\"holdfast\"")
                #expect(open.text.contains("token-missing"))
                for right in Right.allCases {
                    let token = try #require(server.tokens[right])
                    let reply = server.send(method, target, [("Authorization", "Bearer \(token)")])
                    if right < needed {
                        #expect(reply.status == 403, "\(route.operationID) with \(right)")
                        #expect(reply.text.contains("right-missing"))
                    } else {
                        // What is for users alone is refused to tokens of the store, whatever their right.
                        let isRefused =
                            reply.status == 401
                            || reply.status == 403 && !reply.text.contains("signed in")
                        #expect(!isRefused, "\(route.operationID) with \(right)")
                    }
                }
            } else {
                // Without a body there is nothing to sign in with.
                let status = operation.users == .anyone ? 400 : 200
                #expect(open.status == status, "\(route.operationID)")
            }
        }
    }

    @Test("tells everybody which paths and methods there are")
    func noOperation() throws {
        let server = try GuardedServer(withTokens: true)
        #expect(server.send("GET", "/v1/nothing").status == 404)
        #expect(server.send("GET", "/nothing").status == 404)
        #expect(server.send("POST", "/v1/schema").headers["allow"] == "GET, HEAD, PUT, OPTIONS")
    }

    @Test(
        "refuses what is no token",
        arguments: [
            "Bearer", "Bearer ", "Bearer hf_wrong", "Basic aGY6aGY=", "hf_wrong", "bearer  x",
        ])
    func malformed(header: String) throws {
        let server = try GuardedServer(withTokens: true)
        let reply = server.send("GET", "/v1", [("Authorization", header)])
        #expect(reply.status == 401)
        #expect(reply.headers["www-authenticate"]?.contains("invalid_token") == true)
    }

    @Test(
        "names its scheme in any case, with blanks behind it",
        arguments: ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer ", "bearer    "])
    func schemes(scheme: String) throws {
        let server = try GuardedServer(withTokens: true)
        let token = try #require(server.tokens[.read])
        let reply = server.send("GET", "/v1", [("Authorization", "\(scheme) \(token)")])
        #expect(reply.status == 200)
    }

    @Test("is refused before the body is read")
    func earlyRefusal() throws {
        let server = try GuardedServer(withTokens: true)
        let reply = server.send(
            "POST", "/v1/classes/Node/import", [("Content-Type", "application/x-ndjson")],
            body: String(repeating: "{\"id\":1}\n", count: 1000))
        #expect(reply.status == 401)
    }

    @Test(
        "a body of another type is refused before the client is told to send it",
        arguments: [
            ("POST", "/v1/classes/Node/objects"), ("PUT", "/v1/classes/Node/objects/1"),
            ("PATCH", "/v1/classes/Node/objects/1"), ("PATCH", "/v1/tokens/read"),
            ("PUT", "/v1/schema"), ("POST", "/v1/transactions"), ("PATCH", "/v1/streams/x"),
            ("POST", "/v1/classes/Node/query"), ("POST", "/v1/classes/Node/import"),
            ("POST", "/v1/sessions"),
        ])
    func awaitedBody(method: String, target: String) throws {
        let server = try GuardedServer(withTokens: true)
        let token = try #require(server.tokens[.admin])
        func status(_ type: String) -> Int {
            server.client.sendText(
                "\(method) \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Type: \(type)\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
            ).status
        }
        #expect(status("text/plain") == 415)
        #expect(
            status(target.hasSuffix("import") ? "application/x-ndjson" : "application/json") == 100)
        let patches = method == "PATCH" && target.hasPrefix("/v1/classes")
        #expect(status("application/merge-patch+json") == (patches ? 100 : 415))
    }

    @Test(
        "without tokens is for this machine's own names",
        arguments: [
            ("localhost", 200), ("localhost:8080", 200), ("127.0.0.1:1", 200), ("[::1]:80", 200),
            ("evil.example", 421), ("evil.example:80", 421), ("192.168.1.2", 421), ("[::2]", 421),
        ])
    func hosts(host: String, status: Int) throws {
        // The client sends a Host of its own, so the request is written by hand.
        let server = try GuardedServer(withTokens: false)
        let reply = server.client.sendText(
            "GET /v1 HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        #expect(reply.status == status)
        // The host of an absolute target counts in place of the field.
        for (field, target) in [(host, "localhost"), ("localhost", host)] {
            let reply = server.client.sendText(
                "GET http://\(target)/v1 HTTP/1.1\r\nHost: \(field)\r\nConnection: close\r\n\r\n")
            #expect(reply.status == (target == host ? status : 200))
        }
        let insecure = try GuardedServer(withTokens: false, isInsecure: true)
        #expect(
            insecure.client.sendText(
                "GET /v1 HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            ).status == 200)
    }

    @Test("without tokens lets no foreign page change anything")
    func origins() throws {
        let server = try GuardedServer(
            withTokens: false, cors: CORSPolicy(origins: ["https://app.example"]))
        let body = "{\"id\":1}"
        func post(_ origin: String?) -> Int {
            var headers = [("Content-Type", "application/json")]
            if let origin { headers.append(("Origin", origin)) }
            return server.send("POST", "/v1/classes/Node/objects?mode=replace", headers, body: body)
                .status
        }
        #expect(post("https://evil.example") == 403)
        #expect(post("null") == 403)
        #expect(post("https://app.example") == 201)
        #expect(post("http://localhost") == 200)
        #expect(post(nil) == 200)
        #expect(server.send("GET", "/v1", [("Origin", "https://evil.example")]).status == 200)
    }

    @Test(
        "with tokens lets a page of any origin ask that has one, and where origins are named only theirs",
        arguments: [
            // Whether tokens are needed, origins that are named, whether the page has a token, whether it may.
            (true, [], true, "*"), (true, [], false, nil), (false, [], true, nil),
            (false, [], false, nil), (true, ["https://app.example"], true, nil),
            (true, ["https://page.example"], true, "https://page.example"),
            (true, ["https://page.example"], false, "https://page.example"),
            (false, ["*"], false, "*"),
        ] as [(Bool, [String], Bool, String?)])
    func pages(withTokens: Bool, named: [String], hasToken: Bool, allowed: String?) throws {
        let server = try GuardedServer(withTokens: withTokens, cors: CORSPolicy(origins: named))
        let origin = ("Origin", "https://page.example")
        let token =
            withTokens ? server.authorization(.write) : ("Authorization", "Bearer hf_of_nobody")
        let reply = server.send(
            "GET", "/v1/classes/Node/objects", [origin] + (hasToken ? [token] : []))
        #expect(reply.headers["access-control-allow-origin"] == allowed)
        #expect((reply.headers["access-control-expose-headers"] != nil) == (allowed != nil))
        let asked = server.send(
            "OPTIONS", "/v1/classes/Node/objects/1",
            [
                origin, ("Access-Control-Request-Method", "PUT"),
                (
                    "Access-Control-Request-Headers",
                    hasToken ? "authorization,content-type" : "content-type"
                ),
            ])
        #expect(asked.status == 204)
        #expect(asked.headers["access-control-allow-origin"] == allowed)
        #expect((asked.headers["access-control-allow-methods"] != nil) == (allowed != nil))
        // A page has no other way to a token than its own.
        let wrong = server.send(
            "GET", "/v1", [origin, ("Authorization", "Bearer hf_wrong")])
        #expect(wrong.status == (withTokens ? 401 : 200))
    }
}
