import HoldfastAccess
import Glibc
import HoldfastHTTPServer
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Tickets, with which clients that send no headers open streams.
@Suite("A ticket")
struct TicketTests {
    private static let path = "/v1/classes/Node/changes"
    private static let url = path + "?filter=label == 'a b'&fields=label"
    private static let sent = path + "?filter=label%20==%20%27a+b%27&fields=label"

    /// A server with a token of each right.
    private static func server(
        cors: CORSPolicy = CORSPolicy(), _ change: (inout RESTOptions) -> Void = { _ in }
    ) throws -> GuardedServer {
        try GuardedServer(withTokens: true, cors: cors, change: change)
    }

    private static func reply(
        _ server: GuardedServer, for url: String, _ right: Right = .read
    ) -> HTTPClient.Reply {
        server.send(
            "POST", "/v1/tickets",
            (server.tokens.isEmpty ? [] : [server.authorization(right)]) + [
                ("Content-Type", "application/json")
            ], body: #"{"url":"\#(url)"}"#)
    }

    static func ticket(
        _ server: GuardedServer, for url: String, _ right: Right = .read
    ) throws -> String {
        let reply = reply(server, for: url, right)
        #expect(reply.status == 201, "\(reply.text)")
        #expect(reply.headers["cache-control"] == "no-store")
        return try #require(QueryJSON(reply.text)?["ticket"]?.string)
    }

    private static func open(_ server: GuardedServer, _ target: String) -> ChangesClient {
        ChangesClient(port: server.port, target)
    }

    /// The status of an opening once the server has noticed that the connection before is broken.
    private static func reopen(_ server: GuardedServer, _ target: String) -> Int {
        for _ in 0..<30_000 {
            let status = open(server, target).status
            if status != 409 { return status }
            usleep(1000)
        }
        return 409
    }

    @Test("opens its URL once, and again after the connection broke, as often as that happens")
    func opening() throws {
        let server = try Self.server()
        let reply = Self.reply(server, for: Self.url)
        #expect(reply.text.contains(#""expiresIn":30"#))
        let target = Self.sent + "&ticket=\(try Self.ticket(server, for: Self.url))"
        var client: ChangesClient? = Self.open(server, target)
        #expect(client?.status == 200)
        #expect(client?.next()?.name == "hello")
        // While it is open nobody else can, who may have seen the address.
        let second = server.send("GET", target, [("Accept", "text/event-stream")])
        #expect(second.status == 409 && second.text.contains("ticket-in-use"))
        for _ in 0..<3 {
            client = nil
            #expect(Self.reopen(server, target) == 200)
        }
    }

    @Test(
        "is for one URL, however that is encoded",
        arguments: [
            (sent + "&ticket=$", 200),
            (path + "?filter=label+==+'a%20b'&fields=label&ticket=$", 200),
            (path + "?ticket=$&filter=label+==+'a%20b'&fields=label", 200),
            ("/v1/classes/%4eode/changes?filter=label+==+'a%20b'&fields=label&ticket=$", 200),
            (path + "?fields=label&filter=label+==+'a%20b'&ticket=$", 401),
            (path + "?filter=label+==+'a'&fields=label&ticket=$", 401),
            (sent + "&since=start&ticket=$", 401),
            (path + "?ticket=$", 401),
            ("/v1/changes?ticket=$", 401),
            (sent + "&ticket=", 401),
            (sent + "&ticket=$x", 401),
            (sent + "&ticket=x$", 401),
            (sent + "&ticket=$&ticket=$", 400),
        ])
    func address(target: String, status: Int) throws {
        let server = try Self.server()
        let ticket = try Self.ticket(server, for: Self.url)
        let client = Self.open(server, target.replacing("$", with: ticket))
        #expect(client.status == status)
    }

    @Test(
        "opens every stream there is, and nothing of it but events",
        arguments: AccessEndTests.followed.map(\.1))
    func forms(target: String) throws {
        let server = try AccessEndTests.server()
        let target = AccessEndTests.made(target, on: server)
        let stated =
            target + (target.contains("?") ? "&" : "?")
            + "ticket=\(try Self.ticket(server, for: target))"
        let hasPages = AccessEndTests.hasPages(target)
        for headers in [[], [("Accept", "application/json"), ("Prefer", "wait=1")]] where hasPages {
            let page = server.send("GET", stated, headers)
            #expect(page.status == 401 && page.text.contains("text/event-stream"), "\(page.text)")
            #expect(page.text.contains("ticket-invalid"))
        }
        let client = Self.open(server, stated)
        #expect(client.status == 200)
        #expect(client.next() != nil)
        #expect(Self.open(server, stated).status == 409)
        // What it was made with ends it.
        try server.revoke(.read)
        let last = try #require(client.events(to: "error").last)
        #expect(last.json["code"]?.string == "access-ended", "\(last)")
        #expect(client.next() == nil)
        #expect(Self.reopen(server, stated) == 401)
    }

    @Test("is named where a stream lacks a token, and only there")
    func named() throws {
        let server = try Self.server()
        for (target, isStream) in [
            (Self.path + "?access_token=x", true), ("/v1/classes/Node/objects", false),
        ] {
            let reply = server.send("GET", target, [("Accept", "text/event-stream")])
            #expect(reply.status == 401 && reply.text.contains("token-missing"))
            #expect(reply.text.contains("POST /v1/tickets") == isStream, "\(reply.text)")
        }
    }

    @Test(
        "opens no other request",
        arguments: [
            "/v1/classes/Node/objects", "/v1/classes/Node/objects/1", "/v1", "/metrics",
            "/v1/export",
        ])
    func others(target: String) throws {
        let server = try Self.server()
        #expect(Self.reply(server, for: target).status == 422)
        let ticket = try Self.ticket(server, for: Self.path)
        let reply = server.send(
            "GET", target + "?ticket=\(ticket)", [("Accept", "text/event-stream")])
        #expect(reply.status == 401 && reply.text.contains("token-missing"))
    }

    @Test(
        "is made for the URL of a stream",
        arguments: [
            (#"{"url":"http://localhost/v1/changes"}"#, 422), (#"{"url":""}"#, 422),
            (#"{"url":"v1/changes"}"#, 422), (#"{"url":"/v1/changes/"}"#, 422),
            (#"{"url":"/v1/changes?a=%zz"}"#, 422), (#"{"url":"/v1/changes\u0000"}"#, 422),
            (#"{"url":1}"#, 400), (#"{"uri":"/v1/changes"}"#, 400), ("{}", 400), ("[]", 400),
            (#"{"url":"/v1/changes","age":9}"#, 400), (#"{"url":"/v1/changes"}"#, 201),
        ])
    func making(body: String, status: Int) throws {
        let server = try Self.server()
        let reply = server.send(
            "POST", "/v1/tickets",
            [server.authorization(.read), ("Content-Type", "application/json")], body: body)
        #expect(reply.status == status, "\(reply.text)")
    }

    @Test("is for a URL that a request can have together with it", arguments: [-1, 0, 1])
    func length(excess: Int) throws {
        let server = try Self.server { $0.targetByteCountMax = 200 }
        let begin = "/v1/changes?since="
        // With "&ticket=" and the 75 characters of the ticket.
        let padding = String(repeating: "s", count: 200 + excess - begin.count - 8 - 75)
        let reply = Self.reply(server, for: begin + padding)
        guard excess > 0 else {
            let ticket = try #require(QueryJSON(reply.text)?["ticket"]?.string)
            let opened = Self.open(server, "\(begin)\(padding)&ticket=\(ticket)")
            // The position is none, and the ticket is not what is wrong with it.
            return #expect(opened.status == 400)
        }
        #expect(reply.status == 400 && reply.text.contains(#""pointer":"/url""#), "\(reply.text)")
        #expect(reply.text.contains("201 bytes"), "\(reply.text)")
    }

    @Test("ends when it has waited, or been away, for too long")
    func ages() throws {
        let waiting = try Self.server { $0.limits.ticketSeconds = 0 }
        let late = Self.sent + "&ticket=\(try Self.ticket(waiting, for: Self.url))"
        #expect(Self.open(waiting, late).status == 401)
        let away = try Self.server { $0.limits.ticketReturnSeconds = 0 }
        let target = Self.sent + "&ticket=\(try Self.ticket(away, for: Self.url))"
        #expect(Self.open(away, target).status == 200)
        #expect(Self.reopen(away, target) == 401)
    }

    @Test("is one of a bounded number in use, for each token and in all")
    func number() throws {
        let server = try Self.server {
            $0.limits.tokenTicketCountMax = 2
            $0.limits.ticketCountMax = 3
        }
        // Nothing is held of those that have opened nothing.
        let targets = try [Right.read, .read, .read, .write, .write].map {
            Self.sent + "&ticket=\(try Self.ticket(server, for: Self.url, $0))"
        }
        var open: [ChangesClient] = []
        for (target, status) in zip(targets, [200, 200, 503, 200, 503]) {
            let client = Self.open(server, target)
            #expect(client.status == status)
            open.append(client)
        }
        for right in [Right.read, .write] {
            let refused = Self.reply(server, for: Self.url, right)
            #expect(refused.status == 503 && refused.text.contains("too-many-tickets"))
            #expect(refused.headers["retry-after"] == "60")
        }
    }

    @Test(
        "opens its stream again after the service was restarted, and a fresh one for the first time"
    )
    func restarting() throws {
        let server = try Self.server()
        let targets = try (0..<3).map { _ in
            Self.sent + "&ticket=\(try Self.ticket(server, for: Self.url))"
        }
        var client: ChangesClient? = Self.open(server, targets[0])
        #expect(client?.status == 200)
        client = nil
        try server.restart()
        client = Self.open(server, targets[0])
        #expect(client?.status == 200)
        #expect(client?.next()?.name == "hello")
        #expect(Self.open(server, targets[0]).status == 409)
        let fresh = Self.open(server, targets[1])
        #expect(fresh.status == 200)
        // What it was made with ends it, also across a restart.
        try server.revoke(.read)
        #expect(client?.events(to: "error").last?.json["code"]?.string == "access-ended")
        try server.restart()
        for target in targets { #expect(Self.open(server, target).status == 401) }
    }

    @Test(
        "of a user opens its stream again after a restart, too, and ends when they are blocked",
        arguments: ["store", "issuer", "session"])
    func restartingUser(kind: String) throws {
        let server = try RulesEndTests.server()
        RulesEndTests.set(server, #"{"roles":{"all":{"classes":{"*":{"read":true}}}}}"#)
        let json = ("Content-Type", "application/json")
        let admin = [server.authorization(.admin), json]
        var (user, header) = ("ann", ("Authorization", ""))
        if kind == "session" {
            let account = #"{"login":"ann","password":"a long password"}"#
            let made = server.send("POST", "/v1/accounts", admin, body: account)
            user = try #require(QueryJSON(made.text)?["id"]?.string, "\(made.text)")
            let signedIn = server.send("POST", "/v1/sessions", [json], body: account)
            let token = try #require(QueryJSON(signedIn.text)?["token"]?.string)
            header.1 = "Bearer \(token)"
        } else {
            header = try #require(try RulesEndTests.header(kind, server))
        }
        let made = server.send(
            "POST", "/v1/tickets", [header, json], body: #"{"url":"\#(Self.path)"}"#)
        let ticket = try #require(QueryJSON(made.text)?["ticket"]?.string, "\(made.text)")
        let target = Self.path + "?ticket=\(ticket)"
        var client: ChangesClient? = Self.open(server, target)
        #expect(client?.status == 200)
        client = nil
        try server.restart()
        client = Self.open(server, target)
        #expect(client?.status == 200 && client?.next()?.name == "hello")
        // Nobody else's opens it, nor does a part of it.
        #expect(Self.open(server, target + "A").status == 401)
        if kind != "store" {
            #expect(Self.open(server, String(target.prefix { $0 != "." })).status == 401)
        }
        let blocked = server.send(
            "PUT", "/v1/access/users/\(user)", admin, body: #"{"blocked":true}"#)
        #expect(blocked.status == 200, "\(blocked.text)")
        #expect(client?.events(to: "error").last?.json["code"]?.string == "access-ended")
        #expect(Self.reopen(server, target) == 401)
    }

    @Test(
        "of before a restart is taken for as long as one whose connection broke, and unless it is very old"
    )
    func restartLimits() throws {
        for (seconds, age) in [(0, 86_400), (60, 0)] {
            let server = try Self.server {
                $0.limits.ticketSeconds = 0
                $0.limits.ticketReturnSeconds = seconds
                $0.limits.ticketRestartSeconds = age
            }
            let target = Self.sent + "&ticket=\(try Self.ticket(server, for: Self.url))"
            try server.restart()
            #expect(Self.open(server, target).status == 401, "\(seconds) s, \(age) s")
        }
        let server = try Self.server { $0.limits.ticketSeconds = 0 }
        let target = Self.sent + "&ticket=\(try Self.ticket(server, for: Self.url))"
        #expect(Self.open(server, target).status == 401)
        try server.restart()
        #expect(Self.open(server, target).status == 200)
    }

    @Test("opens its stream where no token is needed, too")
    func withoutTokens() throws {
        let server = try GuardedServer(withTokens: false)
        let ticket = try Self.ticket(server, for: Self.url)
        let wrong = Self.sent + "&ticket=\(ticket)x"
        #expect(Self.open(server, wrong).status == 401)
        let reply = server.send("GET", wrong, [("Accept", "text/event-stream")])
        #expect(
            reply.headers["www-authenticate"]
                == "Bearer realm=\"holdfast\", error=\"invalid_token\"")
        let client = Self.open(server, Self.sent + "&ticket=\(ticket)")
        #expect(client.status == 200)
        #expect(Self.open(server, Self.sent + "&ticket=\(ticket)").status == 409)
    }

    @Test("resumes where the browser's last event was")
    func resuming() throws {
        let server = try Self.server()
        func put(_ key: Int) {
            let reply = server.send(
                "PUT", "/v1/classes/Node/objects/\(key)",
                [server.authorization(.write), ("Content-Type", "application/json")],
                body: #"{"label":"x"}"#)
            #expect(reply.status == 201)
        }
        let target =
            Self.path + "?since=start&ticket="
            + (try Self.ticket(server, for: Self.path + "?since=start"))
        var client: ChangesClient? = Self.open(server, target)
        let cursor = try #require(client?.events(to: "upToDate").last?.id)
        client = nil
        put(1)
        var status = 409
        while status == 409 {
            client = ChangesClient(
                port: server.port, target, headers: [("Last-Event-ID", cursor)])
            status = client?.status ?? 0
        }
        #expect(status == 200)
        #expect(client?.events(to: "change").last?.changes == ["enter 1"])
    }

    @Test("lets pages of allowed origins read its stream, and why there is none")
    func origins() throws {
        let server = try Self.server(cors: CORSPolicy(origins: ["https://app.example"]))
        let ticket = try Self.ticket(server, for: Self.url)
        var kept: ChangesClient?
        for (text, status) in [(ticket + "x", 401), (ticket, 200), (ticket, 409)] {
            let client = ChangesClient(
                port: server.port, Self.sent + "&ticket=\(text)",
                headers: [("Origin", "https://app.example")])
            #expect(client.status == status)
            #expect(
                client.headers["access-control-allow-origin"] == "https://app.example",
                "\(status)")
            if status == 200 { kept = client }
        }
        let asked = server.send(
            "OPTIONS", "/v1/tickets",
            [
                ("Origin", "https://app.example"), ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "authorization,content-type"),
            ])
        #expect(asked.status == 204)
        #expect(
            asked.headers["access-control-allow-headers"] == "authorization,content-type")
        _ = kept
    }

    @Test("lets pages of all origins read its stream where none are named")
    func allOrigins() throws {
        let server = try Self.server()
        let ticket = try Self.ticket(server, for: Self.url)
        let client = ChangesClient(
            port: server.port, Self.sent + "&ticket=\(ticket)",
            headers: [("Origin", "https://app.example")])
        #expect(client.status == 200)
        #expect(client.headers["access-control-allow-origin"] == "*")
    }

    @Test("stands in no log")
    func logging() throws {
        var ticket = ""
        let text = try written { descriptor in
            let writer = try LineWriter(descriptor: descriptor)
            do {
                let server = try GuardedServer(withTokens: true, accessLog: writer)
                ticket = try Self.ticket(server, for: Self.url)
                let target = Self.sent + "&ticket=\(ticket)"
                let client = Self.open(server, target)
                #expect(client.status == 200)
                #expect(Self.open(server, target).status == 409)
                #expect(Self.open(server, target + "x").status == 401)
            }
            writer.stop()
        }
        #expect(text.contains(#""path":"/v1/classes/Node/changes""#))
        #expect(!text.contains(ticket) && !text.contains("ticket="))
    }
}
