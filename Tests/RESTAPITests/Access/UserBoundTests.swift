import HoldfastAccess
import Glibc
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastRESTAPI

/// How many streams and queries a user may have at a time.
@Suite("What each user may have at a time")
struct UserBoundTests {
    private static func server(_ change: (inout RESTOptions) -> Void) throws -> (
        GuardedServer, user: (String, String)
    ) {
        let server = try GuardedServer(withTokens: true, change: change)
        let secret = try TokenSecret()
        try server.table.change { stored throws(RequestFault) in
            _ = try stored.add("phone", TokenTerms(.read, user: "ann"), secret.hash)
        }
        return (server, ("Authorization", "Bearer \(secret.text)"))
    }

    @Test("a user has so many streams, polls among them, and others have theirs")
    func streams() throws {
        let (server, user) = try Self.server { $0.userStreamCountMax = 1 }
        var first: ChangesClient? = ChangesClient(
            port: server.port, "/v1/changes", headers: [user])
        #expect(first?.next()?.name == "hello")
        for headers in [[("Accept", "text/event-stream")], [("Prefer", "wait=10")]] {
            let refused = server.send("GET", "/v1/changes", headers + [user])
            #expect(refused.status == 429 && refused.text.contains("too-many-streams"))
            #expect(refused.headers["retry-after"] != nil)
        }
        let others = (0..<2).map { _ in
            ChangesClient(
                port: server.port, "/v1/changes", headers: [server.authorization(.read)])
        }
        for other in others { #expect(other.next()?.name == "hello") }
        first = nil
        server.awaitWaiting(2)
        let again = ChangesClient(port: server.port, "/v1/changes", headers: [user])
        #expect(again.next()?.name == "hello")
    }

    @Test("a user has so many queries that run or wait, and others have theirs")
    func queries() throws {
        let (server, user) = try Self.server {
            $0.userQueryCountMax = 1
            $0.limits.scheduling.runningLongCountMax = 1
        }
        let workers = HeldWorkers(of: server.running.service.served)
        let target = "/v1/classes/Node/objects?filter=label CONTAINS 'a'&explain=true"
            .replacing(" ", with: "%20")
        let waiting = LoopbackSocket.connect(port: server.port)
        let request = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(user.0): \(user.1)\r\n\r\n"
        _ = Array(request.utf8).withUnsafeBytes {
            send(waiting, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        for _ in 0..<30_000 where server.running.service.served.scheduler.counts.waiting == 0 {
            usleep(1000)
        }
        let refused = server.send("GET", target, [user])
        #expect(
            refused.status == 429 && refused.text.contains("too-many-queries"), "\(refused.text)")
        workers.release()
        var byte: UInt8 = 0
        #expect(recv(waiting, &byte, 1, 0) == 1)
        close(waiting)
        #expect(server.send("GET", target, [server.authorization(.read)]).status == 200)
    }

    /// Makes twelve objects, each of which links to all.
    private static func makeKnots(_ server: RuledServer) {
        server.send(
            "PUT", "/v1/schema/classes/Knot",
            #"{"primaryKey":"id","properties":{"id":"int","name":"string","next":"Knot[]"}}"#)
        for id in 0..<12 { server.send("PUT", "/v1/classes/Knot/objects/\(id)", "{}") }
        let all = (0..<12).map(String.init).joined(separator: ",")
        for id in 0..<12 {
            server.send("PATCH", "/v1/classes/Knot/objects/\(id)", "{\"next\":[\(all)]}")
        }
    }

    /// A rule that takes more than a second for each of them.
    private static let slow = (0..<9).reversed().reduce("$x9.id < 0") { inner, depth in
        "SUBQUERY(\(depth == 0 ? "next" : "$x\(depth).next"), $x\(depth + 1), \(inner)).@count > 0"
    }

    @Test("a rule that takes too long ends the read of one object, and what was written is written")
    func slowRule() throws {
        let server = try RuledServer(classes: []) { $0.limits.queryTimeSecondsMax = 1 }
        Self.makeKnots(server)
        let document = server.send(
            "PUT", "/v1/access",
            "{\"roles\":{\"m\":{\"classes\":{\"Knot\":{\"read\":\"\(Self.slow)\",\"create\":true}}}}}"
        )
        #expect(document.status == 200, "\(document.text)")
        let ann = server.user("ann")
        let read = server.get("/v1/classes/Knot/objects/1", as: ann)
        #expect(read.status == 503 && read.text.contains("query-too-slow"), "\(read.text)")
        let written = server.send(
            "POST", "/v1/classes/Knot/objects", #"{"id":99,"next":[0]}"#, as: ann)
        // What it links to is not seen in time, so that nothing is written; without links it is.
        #expect(written.status >= 400, "\(written.text)")
        let plain = server.send("POST", "/v1/classes/Knot/objects", #"{"id":98}"#, as: ann)
        #expect(plain.status == 201, "\(plain.text)")
    }

    @Test("a rule that fails fails who reads by it, and no write or stream of others")
    func othersBesideSlowRule() throws {
        let server = try RuledServer(classes: []) { $0.limits.queryTimeSecondsMax = 1 }
        let (ann, bob) = (server.user("ann"), server.user("bob"))
        Self.makeKnots(server)
        let document = server.send(
            "PUT", "/v1/access",
            """
            {"roles":{
              "a":{"when":"$user.id == 'ann'","classes":{"Knot":{"read":"\(Self.slow)"}}},
              "b":{"when":"$user.id == 'bob'","classes":{"Knot":{"read":true,"create":true,"update":true}}}}}
            """)
        #expect(document.status == 200, "\(document.text)")
        let target = "/v1/classes/Knot/changes?since=start"
        let failing = server.follow(target, as: ann)
        let stream = server.follow(target, as: bob)
        #expect(stream.events(to: "upToDate").last != nil)
        let written = server.send(
            "PATCH", "/v1/classes/Knot/objects/3", #"{"name":"x"}"#, as: bob)
        #expect(written.status == 200, "\(written.text)")
        #expect(
            server.send("POST", "/v1/classes/Knot/objects", #"{"id":99}"#, as: .admin).status == 201
        )
        // Both in one, or each by itself.
        let told = stream.events(to: "change")
        if !told.contains(where: { $0.data.contains(#""id":99"#) }) {
            #expect(stream.events(to: "change").last?.data.contains(#""id":99"#) == true)
        }
        let read = server.get("/v1/classes/Knot/objects/1", as: ann)
        #expect(read.status == 503 && read.text.contains("query-too-slow"), "\(read.text)")
        withExtendedLifetime(failing) {}
    }

    @Test("each user has slots of its own, which are free again when their leases end")
    func slots() throws {
        let slots = Slots<ClientKey>(perOwner: 2)
        let (ann, eve) = (ClientKey(token: 1), ClientKey(token: 2))
        var held = [try slots.take(for: ann), try slots.take(for: ann)]
        #expect(throws: Slots<ClientKey>.Full.forOwner) { try slots.take(for: ann) }
        #expect(throws: Never.self) { try slots.take(for: eve) }
        held.removeLast()
        #expect(throws: Never.self) { try slots.take(for: ann) }
    }
}
