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

/// What goes on when its token ends, in every form that lasts.
@Suite("The end of a token")
struct AccessEndTests {
    /// What streams and polls follow, each by the operation's id.
    static let followed = [
        ("streamChanges", "/v1/changes"),
        ("streamClassChanges", "/v1/classes/Node/changes"),
        ("streamObjectChanges", "/v1/classes/Node/objects/1/changes"),
        ("streamPropertyChanges", "/v1/classes/Node/objects/1/properties/label/changes"),
        ("streamAggregate", "/v1/classes/Node/aggregate/changes"),
        ("streamSections", "/v1/classes/Node/sections/changes?by=label"),
        ("streamProjectedAggregate", "/v1/projections/Labels/aggregate/changes"),
        ("streamProjectedSections", "/v1/projections/Labels/sections/changes?by=label"),
        ("streamProjectionChanges", "/v1/projections/Labels/changes"),
        ("streamProjectedObjectChanges", "/v1/projections/Labels/objects/1/changes"),
        ("getOutbox", "/v1/classes/Reading/outbox"),
        ("streamQueries", "/v1/streams/{id}"),
    ]

    /// Whether what is followed can be asked for page by page as well.
    static func hasPages(_ target: String) -> Bool {
        !["/properties/", "/sections/", "/aggregate/", "/streams/"].contains { target.contains($0) }
    }

    /// The target of one of them; of a stream, one that the token has made.
    static func made(_ target: String, on server: GuardedServer) -> String {
        guard target.hasSuffix("{id}") else { return target }
        let reply = server.send(
            "POST", "/v1/streams",
            [server.authorization(.read), ("Content-Type", "application/json")],
            body: #"{"queries":{"nodes":{"class":"Node"}}}"#)
        #expect(reply.status == 201, "\(reply.text)")
        return reply.headers["location"] ?? ""
    }

    static let schema = Schema(
        classes: Importing.nodes.classes + [
            ObjectClass(
                name: "Reading", kind: .asymmetric, properties: [Schemas.property("celsius", .int)])
        ])

    static func server() throws -> GuardedServer {
        let server = try GuardedServer(withTokens: true, schema: schema)
        for (method, target, body) in [
            ("PUT", "/v1/projections/Labels", #"{"class":"Node","properties":{"text":"label"}}"#),
            ("PUT", "/v1/classes/Node/objects/1", #"{"label":"one"}"#),
            ("POST", "/v1/classes/Reading/objects", #"{"celsius":20}"#),
        ] {
            let reply = server.send(
                method, target,
                [server.authorization(.admin), ("Content-Type", "application/json")], body: body)
            #expect(reply.status < 300, "\(reply.text)")
        }
        return server
    }

    @Test("every operation that follows something is asked here")
    func everyForm() throws {
        let operations = Operation.all.filter(\.isEndless).map(\.id)
        #expect(Set(operations) == Set(Self.followed.map(\.0)))
    }

    @Test("ends a stream with an event that says so", arguments: followed.map(\.1))
    func stream(target: String) throws {
        let server = try Self.server()
        let target = Self.made(target, on: server)
        let client = ChangesClient(
            port: server.port, target, headers: [server.authorization(.read)])
        // The stream is there: the first event has come.
        #expect(client.next() != nil)
        try server.revoke(.read)
        let last = try #require(client.events(to: "error").last)
        #expect(last.json["code"]?.string == "access-ended", "\(last)")
        #expect(client.next() == nil)
    }

    @Test("ends a stream whose client is behind without telling it what waits")
    func slowStream() throws {
        let server = try Self.server()
        let label = String(repeating: "x", count: 100_000)
        let client = ChangesClient(
            port: server.port, "/v1/changes", headers: [server.authorization(.read)],
            receiveByteCountMax: 4096)
        #expect(client.next()?.name == "hello")
        // More than the sockets and the queue hold.
        for number in 0..<100 {
            let reply = server.send(
                "PUT", "/v1/classes/Node/objects/\(number)",
                [server.authorization(.write), ("Content-Type", "application/json")],
                body: #"{"label":"\#(number) \#(label)"}"#)
            #expect(reply.status < 300)
        }
        try server.revoke(.read)
        awaitRefusal(server, .read)
        let events = client.events(to: "error")
        #expect(events.last?.json["code"]?.string == "access-ended")
        #expect(events.count < 101)
        #expect(client.next() == nil)
    }

    @Test(
        "answers a request that waits for a change",
        arguments: followed.map(\.1).filter(hasPages))
    func poll(target: String) throws {
        let server = try Self.server()
        // What is there already is no news to it.
        let first = server.send("GET", target, [server.authorization(.read)])
        let place = first.text.firstRange(of: "\"through\":\"").map {
            "?since=" + String(first.text[$0.upperBound...].prefix { $0 != "\"" })
        }
        let client = HTTPClient(port: server.port)
        client.beginPoll(target + (place ?? ""), headers: [server.authorization(.read)])
        server.awaitWaiting(1)
        try server.revoke(.read)
        let reply = client.finish()
        #expect(reply.status == 401, "\(reply.text)")
        #expect(reply.text.contains("access-ended"))
        #expect(reply.headers["www-authenticate"]?.contains("invalid_token") == true)
    }

    @Test(
        "cuts what is being sent, so that the client sees that it is not whole",
        arguments: [
            ("/v1/export", Right.read), ("/v1/classes/Loose/export", .read),
            ("/v1/classes/Loose/export?fields=label", .read), ("/v1/backups/", .admin),
        ])
    func export(target: String, right: Right) throws {
        let server = try Self.server()
        server.fillLoose()
        var path = target
        if right == .admin {
            let made = server.send("POST", "/v1/backups", [server.authorization(.admin)])
            path = try #require(made.headers["location"])
        }
        let socket = LoopbackSocket.connect(port: server.port, receiveByteCountMax: 4096)
        defer { close(socket) }
        let header = server.authorization(right)
        let request =
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(header.0): \(header.1)\r\n\r\n"
        let text = Array(request.utf8)
        #expect(send(socket, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let first = recv(socket, &piece, 9, Int32(MSG_WAITALL))
        #expect(first == 9 && String(decoding: piece[..<9], as: UTF8.self) == "HTTP/1.1 ")
        try server.revoke(right)
        let metrics = server.running.server.metrics
        for _ in 0..<30_000 where metrics.inFlight.load(ordering: .relaxed) != 0 { usleep(1000) }
        #expect(metrics.inFlight.load(ordering: .relaxed) == 0)
        var byteCount = 0
        var end: [UInt8] = []
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            if count <= 0 { break }
            byteCount += count
            end = Array((end + piece[..<count]).suffix(5))
        }
        #expect(byteCount < 20_000_000)
        #expect(end != Array("0\r\n\r\n".utf8), "the last chunk would say that it is whole")
    }

    @Test(
        "ends an import, whether its client goes on or says nothing",
        arguments: ["/v1/classes/Node/import?mode=merge", "/v1/import"], [1, 250, nil])
    func importing(target: String, every milliseconds: Int32?) throws {
        let server = try Self.server()
        let right = target == "/v1/import" ? Right.admin : .write
        let reply = try Self.upload(
            server, target, server.authorization(right), every: milliseconds
        ) {
            try server.revoke(right)
        }
        #expect(reply.hasPrefix("HTTP/1.1 401 "), "\(reply)")
        #expect(reply.contains("access-ended"))
    }

    @Test("ends an import when the token may only read any more")
    func lowered() throws {
        let server = try Self.server()
        // What only reads goes on.
        let stream = ChangesClient(
            port: server.port, "/v1/classes/Node/changes", headers: [server.authorization(.write)])
        #expect(stream.next()?.name == "hello")
        let reply = try Self.upload(
            server, "/v1/classes/Node/import?mode=merge", server.authorization(.write),
            every: 1
        ) {
            try server.lower(.write, to: .read)
        }
        #expect(reply.hasPrefix("HTTP/1.1 403 "), "\(reply)")
        #expect(reply.contains("access-ended"))
        _ = server.send(
            "PUT", "/v1/classes/Node/objects/900",
            [server.authorization(.admin), ("Content-Type", "application/json")],
            body: #"{"label":"news"}"#)
        #expect(stream.events(to: "change").last?.data.contains("news") == true)
    }

    @Test("what began without a token ends when the first one is made")
    func firstToken() throws {
        let server = try GuardedServer(withTokens: false)
        let client = ChangesClient(port: server.port, "/v1/changes")
        #expect(client.next()?.name == "hello")
        let secret = try TokenSecret()
        _ = try server.table.change { stored throws(RequestFault) in
            try stored.add("first", TokenTerms(.admin), secret.hash)
        }
        #expect(client.events(to: "error").last?.json["code"]?.string == "access-ended")
    }

    /// Waits until the server knows that a token has ended.
    private func awaitRefusal(_ server: GuardedServer, _ right: Right) {
        for _ in 0..<3000 {
            if server.send("GET", "/v1", [server.authorization(right)]).status == 401 { return }
            usleep(10_000)
        }
        Issue.record("the token still works")
    }

    /// Begins to upload an import, has `body` end its right, and returns the reply.
    ///
    /// - `milliseconds`: How often a line follows; nil for never.
    static func upload(
        _ server: GuardedServer, _ target: String, _ header: (String, String),
        every milliseconds: Int32?, begun: String? = nil, _ body: () throws -> Void
    ) throws -> String {
        let socket = LoopbackSocket.connect(port: server.port)
        defer { close(socket) }
        let line = #"{"id":1,"label":"imported"}"# + "\n"
        func write(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
        _ = write(
            "POST \(target) HTTP/1.1\r\nHost: localhost\r\n\(header.0): \(header.1)\r\n"
                + "Content-Type: application/x-ndjson\r\nContent-Length: 1000000000\r\n"
                + "Expect: 100-continue\r\n\r\n")
        // The token was good when it was looked at.
        let admitted = "HTTP/1.1 100 Continue\r\n\r\n"
        var interim = [UInt8](repeating: 0, count: admitted.utf8.count)
        _ = recv(socket, &interim, interim.count, Int32(MSG_WAITALL))
        #expect(String(decoding: interim, as: UTF8.self) == admitted)
        _ = write(begun ?? line)
        try body()
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let pause = milliseconds ?? 100
        for _ in 0..<30_000 / pause where Glibc.poll(&state, 1, pause) == 0 {
            if milliseconds != nil { _ = write(line) }
        }
        try #require(state.revents != 0, "It was not ended.")
        var reply: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            if count <= 0 { break }
            reply += piece[..<count]
        }
        return String(decoding: reply, as: UTF8.self)
    }
}
