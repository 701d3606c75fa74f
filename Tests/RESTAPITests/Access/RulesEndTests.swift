import Glibc
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// What users and nobody have begun when other rules begin to hold.
@Suite("An access document that is set")
struct RulesEndTests {
    private static let signer = SampleSigner(curve: .p256)

    static func server(
        change: (inout RESTOptions) -> Void = { _ in }
    ) throws -> GuardedServer {
        let keys = SigningKeys(
            allowsSecrets: false,
            source: { () throws(SigningKeyFailure) in Array(signer.jwk(#""kid":"one""#).utf8) },
            report: { _ in })
        try keys.read()
        let tokens = WebTokens(keys: keys, issuer: "https://id.example", audience: "tasks")
        return try GuardedServer(withTokens: true, webTokens: tokens, change: change)
    }

    static func set(_ server: GuardedServer, _ document: String) {
        let reply = server.send(
            "PUT", "/v1/access",
            [server.authorization(.admin), ("Content-Type", "application/json")], body: document)
        #expect(reply.status == 200, "\(reply.text)")
    }

    /// The header of a token of ann's of the store, or of one of an issuer; nil for none.
    static func header(
        _ kind: String, _ server: GuardedServer
    ) throws -> (String, String)? {
        switch kind {
        case "store":
            let made = server.send(
                "POST", "/v1/tokens",
                [server.authorization(.admin), ("Content-Type", "application/json")],
                body: #"{"name":"ann","right":"write","user":"ann"}"#)
            let token = try #require(QueryJSON(made.text)?["token"]?.string)
            return ("Authorization", "Bearer \(token)")
        case "issuer":
            let claims =
                #"{"iss":"https://id.example","aud":"tasks","sub":"ann","exp":\#(Int64(time(nil)) + 300)}"#
            return ("Authorization", "Bearer \(signer.token("ES256", claims))")
        default: return nil
        }
    }

    @Test("keeps to what anybody sees what runs for a user whose token ends before")
    func endedToken() throws {
        let server = try Self.server { $0.limits.scheduling.runningLongCountMax = 1 }
        Self.set(server, #"{"roles":{"all":{"classes":{"Node":{"read":"label == $user.id"}}}}}"#)
        let added = server.send(
            "POST", "/v1/classes/Node/objects",
            [server.authorization(.write), ("Content-Type", "application/json")],
            body: #"[{"id":1,"label":"ann"},{"id":2,"label":"treasure"}]"#)
        #expect(added.status == 201, "\(added.text)")
        let header = try #require(try Self.header("store", server))
        let client = HTTPClient(port: server.port)
        for isRevoked in [false, true] {
            let workers = HeldWorkers(of: server.running.service.served)
            // So large that a worker reads it.
            let body = "{\"limit\":10" + String(repeating: " ", count: 70_000) + "}"
            client.begin(
                "POST", "/v1/classes/Node/query",
                headers: [header, ("Content-Type", "application/json")], body: Array(body.utf8))
            let scheduler = server.running.service.served.scheduler
            for _ in 0..<30_000 where scheduler.counts.waiting == 0 { usleep(1000) }
            if isRevoked {
                try server.table.change { stored throws(RequestFault) in
                    try stored.revoke("ann")
                }
            }
            workers.release()
            let reply = client.finish()
            #expect((reply.status == 200) == !isRevoked, "\(reply.text)")
            #expect(!reply.text.contains("treasure"), "\(reply.text)")
        }
    }

    @Test(
        "cuts their exports",
        arguments: ["store", "issuer", "nobody"])
    func export(kind: String) throws {
        let server = try Self.server()
        Self.set(server, #"{"roles":{"all":{"for":"anyone","classes":{"*":{"read":true}}}}}"#)
        server.fillLoose()
        try Self.expectCut(server, try Self.header(kind, server)) {
            Self.set(server, #"{"roles":{}}"#)
        }
    }

    @Test(
        "is as good an end of an export as another claim, and a user who is blocked",
        arguments: [
            ("store", "PATCH", "/v1/tokens/ann", #"{"claims":{"groups":["all"]}}"#),
            ("store", "PUT", "/v1/access/users/ann", #"{"blocked":true}"#),
            ("issuer", "PUT", "/v1/access/users/ann", #"{"blocked":true}"#),
        ])
    func export(kind: String, method: String, target: String, body: String) throws {
        let server = try Self.server()
        Self.set(server, #"{"roles":{"all":{"classes":{"*":{"read":true}}}}}"#)
        server.fillLoose()
        try Self.expectCut(server, try Self.header(kind, server)) {
            let reply = server.send(
                method, target,
                [server.authorization(.admin), ("Content-Type", "application/json")], body: body)
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    /// Expects that an export which has begun does not come to its end when something happens.
    static func expectCut(
        _ server: GuardedServer, _ header: (String, String)?, _ body: () -> Void
    ) throws {
        #expect(try exportedByteCount(server, header, body) < 20_000_000)
    }

    /// The bytes of an export, which has begun when something happens.
    private static func exportedByteCount(
        _ server: GuardedServer, _ header: (String, String)?, waitsForEnd: Bool = true,
        _ body: () -> Void
    ) throws -> Int {
        let header = header.map { "\($0): \($1)\r\n" } ?? ""
        let socket = LoopbackSocket.connect(port: server.port, receiveByteCountMax: 4096)
        defer { close(socket) }
        let text = Array(
            "GET /v1/classes/Loose/export HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n".utf8)
        #expect(send(socket, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let first = recv(socket, &piece, 12, Int32(MSG_WAITALL))
        #expect(first == 12 && String(decoding: piece[..<12], as: UTF8.self) == "HTTP/1.1 200")
        body()
        if waitsForEnd {
            let metrics = server.running.server.metrics
            for _ in 0..<30_000 where metrics.inFlight.load(ordering: .relaxed) != 0 {
                usleep(1000)
            }
            #expect(metrics.inFlight.load(ordering: .relaxed) == 0)
        }
        var byteCount = 0
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            guard count > 0 else { break }
            byteCount += count
        }
        return byteCount
    }

    @Test(
        "is no end of an export that its user's own object admitted, which shows the version that it began with"
    )
    func exportBesideOwnObject() throws {
        let server = try Self.server()
        func send(_ method: String, _ target: String, _ body: String) -> HTTPClient.Reply {
            server.send(
                method, target,
                [server.authorization(.admin), ("Content-Type", "application/json")], body: body)
        }
        #expect(send("PUT", "/v1/classes/Node/objects/1", #"{"label":"in"}"#).status == 201)
        Self.set(
            server,
            #"{"users":"Node","roles":{"in":{"when":"$user.object.label == 'in'","classes":{"Loose":{"read":true}}}}}"#
        )
        server.fillLoose()
        let made = send("POST", "/v1/tokens", #"{"name":"one","right":"read","user":"1"}"#)
        let token = try #require(QueryJSON(made.text)?["token"]?.string)
        let header = ("Authorization", "Bearer \(token)")
        let byteCount = try Self.exportedByteCount(server, header, waitsForEnd: false) {
            #expect(send("PATCH", "/v1/classes/Node/objects/1", #"{"label":"out"}"#).status == 200)
            #expect(server.send("GET", "/v1/classes/Loose/export", [header]).status == 404)
        }
        #expect(byteCount > 20_000_000)
    }

    @Test(
        "has no part in the end of a token by its time, which ends streams, waits and exports",
        arguments: ["store", "issuer"])
    func ending(kind: String) throws {
        let server = try Self.server()
        Self.set(server, #"{"roles":{"all":{"classes":{"*":{"read":true}}}}}"#)
        server.fillLoose()
        let header: (String, String)
        if kind == "store" {
            let made = server.send(
                "POST", "/v1/tokens",
                [server.authorization(.admin), ("Content-Type", "application/json")],
                body:
                    "{\"name\":\"ann\",\"right\":\"read\",\"user\":\"ann\",\"expires\":\"\(Timestamp(seconds: Int64(time(nil)) + 4, nanoseconds: 0))\"}"
            )
            let token = try #require(QueryJSON(made.text)?["token"]?.string, "\(made.text)")
            header = ("Authorization", "Bearer \(token)")
        } else {
            // Clocks may differ by a minute.
            let claims =
                #"{"iss":"https://id.example","aud":"tasks","sub":"ann","exp":\#(Int64(time(nil)) - 56)}"#
            header = ("Authorization", "Bearer \(Self.signer.token("ES256", claims))")
        }
        let target = "/v1/classes/Node/changes"
        let stream = ChangesClient(port: server.port, target, headers: [header])
        #expect(stream.nextEvent().name == "hello")
        let poll = HTTPClient(port: server.port)
        poll.beginPoll(target, headers: [header])
        server.awaitWaiting(2)
        try Self.expectCut(server, header) {
            #expect(stream.events(to: "error").last?.json["code"]?.string == "access-ended")
            let reply = poll.finish()
            #expect(reply.status == 401 && reply.text.contains("access-ended"), "\(reply.text)")
        }
    }

    @Test(
        "has their streams begin again, which end with what admitted them all the same, and answers waits",
        arguments: ["store", "issuer", "nobody"])
    func streams(kind: String) throws {
        let server = try Self.server()
        func document(_ filter: String) -> String {
            "{\"roles\":{\"all\":{\"for\":\"anyone\",\"classes\":{\"Node\":{\"read\":\"\(filter)\"}}}}}"
        }
        for key in 1...2 {
            let put = server.send(
                "PUT", "/v1/classes/Node/objects/\(key)",
                [server.authorization(.admin), ("Content-Type", "application/json")],
                body: "{\"label\":\"\(key)\"}")
            #expect(put.status == 201, "\(put.text)")
        }
        Self.set(server, document("id == 1"))
        let headers = try Self.header(kind, server).map { [$0] } ?? []
        let target = "/v1/classes/Node/changes"
        let stream = ChangesClient(port: server.port, target + "?since=start", headers: headers)
        let cursor = stream.events(to: "upToDate").last?.id ?? ""
        let poll = HTTPClient(port: server.port)
        poll.beginPoll(target + "?since=\(cursor)", headers: headers)
        server.awaitWaiting(2)
        Self.set(server, document("id == 2"))
        let events = stream.events(to: "upToDate")
        #expect(events.first?.json["reason"]?.string == "access-changed", "\(events)")
        let shown = events.flatMap { $0.json["objects"]?.elements ?? [] }
        #expect(shown.map { $0["id"]?.int } == [2])
        let reply = poll.finish()
        #expect(reply.status == 410 && reply.text.contains("access-changed"), "\(reply.text)")
        guard kind != "nobody" else { return }
        let blocked = server.send(
            "PUT", "/v1/access/users/ann",
            [server.authorization(.admin), ("Content-Type", "application/json")],
            body: #"{"blocked":true}"#)
        #expect(blocked.status == 200, "\(blocked.text)")
        #expect(stream.events(to: "error").last?.json["code"]?.string == "access-ended")
    }

    @Test("under which a class is unknown answers waits for it as any other does, and is 404 then")
    func unknownClass() throws {
        let server = try Self.server()
        Self.set(server, #"{"roles":{"all":{"classes":{"Node":{"read":"id == 1"}}}}}"#)
        let header = try #require(try Self.header("store", server))
        let target = "/v1/classes/Node/changes"
        let page = server.send("GET", target + "?since=now", [header])
        let cursor = try #require(QueryJSON(page.text)?["cursor"]?.string, "\(page.text)")
        let poll = HTTPClient(port: server.port)
        poll.beginPoll(target + "?since=\(cursor)", headers: [header])
        server.awaitWaiting(1)
        Self.set(server, #"{"roles":{}}"#)
        let reply = poll.finish()
        #expect(reply.status == 410 && reply.text.contains("access-changed"), "\(reply.text)")
        #expect(server.send("GET", target + "?since=start", [header]).status == 404)
    }

    @Test("ends the streams that users began before there was one")
    func first() throws {
        let server = try Self.server()
        let stream = ChangesClient(
            port: server.port, "/v1/classes/Node/changes",
            headers: [try #require(try Self.header("store", server))])
        #expect(stream.nextEvent().name == "hello")
        Self.set(server, #"{"roles":{}}"#)
        #expect(stream.events(to: "error").last?.json["code"]?.string == "access-ended")
    }
}
