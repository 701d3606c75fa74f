import HoldfastAccess
import HoldfastObjectModel
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("The console")
struct ConsoleTests {
    private static let browser = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")

    @Test("is where the service's address leads a browser, and only a browser")
    func root() throws {
        let server = try GuardedServer(withTokens: true)
        for method in ["GET", "HEAD"] {
            let reply = server.send(method, "/", [Self.browser])
            #expect(reply.status == 303 && reply.headers["location"] == "/console/", "\(reply)")
            #expect(reply.headers["vary"] == "Accept")
        }
        for headers in [[], [("Accept", "*/*")], [("Accept", "application/json")]] {
            let reply = server.send("GET", "/", headers)
            #expect(reply.status == 200 && reply.text.contains("\"links\""), "\(reply)")
            #expect(reply.headers["vary"] == "Accept")
        }
        #expect(server.send("POST", "/", [Self.browser]).status != 303)
        let folder = server.send("GET", "/console")
        #expect(folder.status == 308 && folder.headers["location"] == "/console/")
        let page = server.send("GET", "/console/", [Self.browser])
        #expect(page.status == 200 && page.text.contains("<html"))
        let policy = try #require(page.headers["content-security-policy"])
        #expect(policy.contains("script-src 'self'") && !policy.contains("unsafe"))
    }

    @Test("is not there where the service has none, and the reference is")
    func noConsole() throws {
        let server = try GuardedServer(withTokens: true) { $0.hasConsole = false }
        let links = server.send("GET", "/", [Self.browser])
        #expect(links.status == 200 && links.headers["content-type"] == "application/json")
        for target in ["/console", "/console/", "/console/index.html"] {
            #expect(server.send("GET", target, [Self.browser]).status == 404, "\(target)")
        }
        #expect(server.send("GET", "/docs/", [Self.browser]).status == 200)
    }

    @Test("gives way to the first page of a public folder")
    func publicFolder() throws {
        let directory = TemporaryDirectory()
        TemporaryDirectory.write(Array("<p>first</p>".utf8), to: directory.path + "/index.html")
        let folder = try #require(PublicFolder(directory.path))
        let server = try GuardedServer(withTokens: true) { $0.publicFolder = folder }
        let reply = server.send("GET", "/", [Self.browser])
        #expect(reply.status == 200 && reply.text == "<p>first</p>")
        #expect(server.send("GET", "/console/", [Self.browser]).status == 200)
    }
}

@Suite("The link to the console")
struct ConsoleLinkTests {
    private let store: Store
    private let tokens: AccessTokens
    private let trail = AuditTrail(Logger(level: .error))

    init() throws {
        store = try Store(engine: try EngineCase.memory.open())
        tokens = try AccessTokens(store, logger: Logger(level: .error))
    }

    @Test("has no token while requests need none")
    func open() throws {
        defer { store.close() }
        #expect(try ConsolePath.make(tokens, trail) == "/console/")
        #expect(tokens.isEmpty && trail.newest.isEmpty)
    }

    @Test("has a token for an hour; the next start removes it, and tokens of former consoles")
    func token() throws {
        defer { store.close() }
        let past = Timestamp(seconds: Timestamp.now().seconds - 1, nanoseconds: 0)
        try tokens.change { stored throws(RequestFault) in
            for (name, end) in [
                ("mine", nil), ("console-0123456789abcdef0123456789abcdef", past),
                ("console-0123456789abcdef0123456789abcdee", nil), ("console-mine", past),
            ] as [(String, Timestamp?)] {
                _ = try stored.add(name, TokenTerms(.admin, end: end), TokenSecret().hash)
            }
        }
        let path = try ConsolePath.make(tokens, trail)
        #expect(path.hasPrefix("/console/#/enter/"))
        let stored = StoredTokens(store)
        let links = try stored.read().tokens.filter { ConsolePath.isLink($0) }
        let end = try #require(links.first?.terms.end)
        #expect(
            links.count == 1 && past.seconds < end.seconds && end.seconds <= past.seconds + 3700)
        try ConsolePath.removePast(tokens, trail)
        #expect(
            try stored.read().tokens.map(\.name).sorted()
                == ["console-0123456789abcdef0123456789abcdee", "console-mine", "mine"])
        let operations = trail.newest.map { $0.fields[0].text }
        #expect(operations == ["deleteToken", "deleteToken", "createToken"])
    }

    @Test("makes one token, and its own admits to nothing else")
    func once() throws {
        defer { store.close() }
        let server = try GuardedServer(withTokens: true)
        let path = try ConsolePath.make(server.table, trail)
        let link = ("Authorization", "Bearer \(path.split(separator: "/").last ?? "")")
        for (method, path) in [
            ("GET", "/v1/schema"), ("GET", "/v1/tokens"), ("DELETE", "/v1/tokens/read"),
            ("GET", "/v1/audit"),
        ] {
            #expect(server.send(method, path, [link]).status == 403, "\(method) \(path)")
        }
        func make(_ name: String) -> HTTPClient.Reply {
            server.send("POST", "/v1/tokens", [link], body: #"{"name":"\#(name)","right":"admin"}"#)
        }
        #expect(make("one").status == 201)
        #expect(make("two").status == 401)
    }
}
