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

    init() throws {
        store = try Store(engine: try EngineCase.memory.open())
        tokens = try AccessTokens(store, logger: Logger(level: .error))
    }

    @Test("has no token while requests need none")
    func open() throws {
        defer { store.close() }
        #expect(try ConsolePath.make(tokens) == "/console/")
        #expect(tokens.isEmpty)
    }

    @Test("has the token of an admin for an hour, and removes the tokens of former links")
    func token() throws {
        defer { store.close() }
        let stored = StoredTokens(store)
        let past = Timestamp(seconds: Timestamp.now().seconds - 1, nanoseconds: 0)
        try tokens.change { stored throws(RequestFault) in
            for (name, end) in [
                ("mine", nil), ("console-0123456789abcdef0123456789abcdef", past),
                ("console-mine", past),
            ] as [(String, Timestamp?)] {
                _ = try stored.add(name, TokenTerms(.admin, end: end), TokenSecret().hash)
            }
        }
        let path = try ConsolePath.make(tokens)
        let prefix = "/console/#/enter/"
        #expect(path.hasPrefix(prefix))
        let secret = Array(path.dropFirst(prefix.count).utf8)
        #expect(secret.withUnsafeBytes { tokens.access(of: $0) }?.right == .admin)
        let present = try stored.read().tokens
        let links = present.filter { ConsolePath.isOwn($0.name) }
        #expect(links.count == 1 && links.first?.terms.user == nil)
        let end = try #require(links.first?.terms.end)
        #expect(past.seconds < end.seconds && end.seconds <= past.seconds + 3700)
        let others = present.map(\.name).filter { !ConsolePath.isOwn($0) }
        #expect(others.sorted() == ["console-mine", "mine"])
        #expect(try ConsolePath.make(tokens) != path)
    }
}
