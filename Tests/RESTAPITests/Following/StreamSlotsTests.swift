import Glibc
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastTestSupport
import Testing
import HoldfastThreads

@testable import HoldfastRESTAPI
@testable import HoldfastStoreService

@Suite("Streams and waiting polls")
struct StreamSlotsTests {
    /// A server of four connections, of which two are for other requests.
    private static func server() throws -> GuardedServer {
        let server = try GuardedServer(withTokens: false, schema: AccessEndTests.schema) {
            $0.connectionCountMax = 4
            $0.reservedConnectionCount = 2
        }
        return server
    }

    /// Asks for a target. A request that comes before connections of earlier ones have ended is sent again, as its reply says.
    private static func ask(
        _ server: GuardedServer, _ target: String, _ headers: [(String, String)] = []
    ) -> HTTPClient.Reply {
        var reply = server.send("GET", target, headers)
        for _ in 0..<600 where reply.text.contains("too-many-connections") {
            usleep(50_000)
            reply = server.send("GET", target, headers)
        }
        return reply
    }

    private static let targets = [
        "/v1/changes", "/v1/classes/Node/changes", "/v1/classes/Reading/outbox",
    ]

    @Test("leave connections to probes and to other requests", arguments: targets)
    func reserve(target: String) throws {
        let server = try Self.server()
        var streams = (0..<2).map { _ in ChangesClient(port: server.port, target) }
        #expect(streams.map(\.status) == [200, 200])
        for headers in [
            [("Accept", "text/event-stream")],
            [("Accept", "application/json"), ("Prefer", "wait=9")],
        ] {
            for target in Self.targets {
                let refused = Self.ask(server, target, headers)
                #expect(
                    refused.status == 503 && refused.text.contains("too-many-streams"),
                    "\(target) \(headers): \(refused.status) \(refused.text)")
                #expect(refused.headers["retry-after"] == "5")
            }
        }
        for target in ["/health/live", "/health/ready", "/metrics", "/v1", target] {
            #expect(Self.ask(server, target).status == 200, "\(target)")
        }
        // One that ends makes room.
        streams.removeLast()
        var status = 503
        for _ in 0..<30_000 where status == 503 {
            usleep(1000)
            let stream = ChangesClient(port: server.port, target)
            status = stream.status
        }
        #expect(status == 200)
    }

    @Test("count as long as they wait")
    func polls() throws {
        let server = try Self.server()
        let polls = Self.targets.suffix(2).map { target in
            let poll = HTTPClient(port: server.port)
            poll.beginPoll(target)
            return poll
        }
        server.awaitWaiting(2)
        #expect(ChangesClient(port: server.port, "/v1/changes").status == 503)
        for (method, target, body) in [
            ("PUT", "/v1/classes/Node/objects/1", #"{"label":"x"}"#),
            ("POST", "/v1/classes/Reading/objects", #"{"celsius":20}"#),
        ] {
            let reply = server.send(
                method, target, [("Content-Type", "application/json")], body: body)
            #expect(reply.status == 201, "\(reply.text)")
        }
        for poll in polls { #expect(poll.finish().status == 200) }
        server.awaitWaiting(0)
        #expect(ChangesClient(port: server.port, "/v1/changes").status == 200)
    }

    @Test("are given back when the clients of polls leave", arguments: targets)
    func departures(target: String) throws {
        let server = try Self.server()
        for _ in 0..<2 {
            do {
                let poll = HTTPClient(port: server.port)
                poll.beginPoll(target)
                withExtendedLifetime(poll) { server.awaitWaiting(1) }
            }
            server.awaitWaiting(0)
        }
    }

    @Test(
        "are given back when the stream's reply is not sent: its token ends, or its client resets the connection",
        arguments: [false, true])
    func unsent(isReset: Bool) throws {
        let server = try GuardedServer(withTokens: true)
        let service = server.running.service
        let ticket = try TicketTests.ticket(server, for: "/v1/changes")
        // The reply comes from the feed's thread.
        let isHeld = Monitor(true)
        service.streams.perform { _ in
            isHeld.wait { $0 ? nil : () }
        } orElse: {
        }
        var socket = LoopbackSocket.connect(port: server.port)
        defer { if socket >= 0 { close(socket) } }
        let text = Array(
            "GET /v1/changes?ticket=\(ticket) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
                .utf8)
        #expect(send(socket, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
        server.awaitWaiting(1)
        if isReset {
            var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            close(socket)
            socket = -1
        } else {
            try server.revoke(.read)
            var reply = [UInt8](repeating: 0, count: 12)
            #expect(recv(socket, &reply, reply.count, Int32(MSG_WAITALL)) == reply.count)
            #expect(String(decoding: reply, as: UTF8.self) == "HTTP/1.1 401")
        }
        isHeld.update { $0 = false }
        server.awaitWaiting(0)
    }

    @Test(
        "have half of the connections at least",
        arguments: [
            (1, 100, 1), (2, 100, 1), (50, 100, 25), (1000, 100, 900), (1000, 0, 1000),
        ])
    func share(connections: Int, reserved: Int, places: Int) throws {
        var options = RESTOptions()
        options.connectionCountMax = connections
        options.reservedConnectionCount = reserved
        let table = Slots<ClientKey>(
            options.streamCountMax, perOwner: options.userStreamCountMax)
        var taken: [Lease] = []
        for _ in 0..<places { taken.append(try table.take(for: nil)) }
        #expect(throws: (any Error).self) { try table.take(for: nil) }
        taken.removeLast()
        _ = try table.take(for: nil)
    }

    @Test("are free again once, when they end, though somebody still has them")
    func ended() throws {
        var options = RESTOptions()
        options.connectionCountMax = 4
        options.userStreamCountMax = 1
        let table = Slots<ClientKey>(
            options.streamCountMax, perOwner: options.userStreamCountMax)
        let user = ClientKey(token: 7)
        let place = try table.take(for: user)
        place.end()
        #expect(table.takenCount == 0)
        let next = try table.take(for: user)
        place.end()
        #expect(table.takenCount == 1)
        #expect(throws: Slots<ClientKey>.Full.self) { try table.take(for: user) }
        withExtendedLifetime((place, next)) {}
    }
}
