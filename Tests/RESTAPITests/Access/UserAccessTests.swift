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

/// Users who are blocked, or signed out everywhere.
@Suite("The access of a user")
struct UserAccessTests {
    private static func put(
        _ server: GuardedServer, _ user: String, _ body: String
    ) -> HTTPClient.Reply {
        server.send(
            "PUT", "/v1/access/users/\(user)",
            [server.authorization(.admin), ("Content-Type", "application/json")], body: body)
    }

    private static func time(_ seconds: Int64) -> String {
        Timestamp(seconds: Int64(Glibc.time(nil)) + seconds, nanoseconds: 0).description
    }

    private static func server() throws -> GuardedServer {
        try GuardedServer(withTokens: true, webTokens: try SignedInUserTests.webTokens())
    }

    @Test("a user who is blocked is refused with every token, at once and after a restart")
    func blocking() throws {
        let server = try Self.server()
        let (seen, unseen) = (
            SignedInUserTests.token("ann"), SignedInUserTests.token("ann", ending: 500)
        )
        let other = SignedInUserTests.token("eve")
        #expect(SignedInUserTests.me(server, seen).status == 200)
        let reply = Self.put(server, "ann", #"{"blocked":true}"#)
        #expect(
            reply.status == 200 && reply.text == #"{"id":"ann","blocked":true}"#, "\(reply.text)")
        for _ in 0..<2 {
            for token in [seen, unseen] {
                let reply = SignedInUserTests.me(server, token)
                #expect(reply.status == 401 && reply.text.contains("blocked"), "\(reply.text)")
            }
            #expect(SignedInUserTests.me(server, other).status == 200)
            try server.restart()
        }
        #expect(Self.put(server, "ann", "{}").status == 200)
        #expect(SignedInUserTests.me(server, seen).status == 200)
        #expect(try StoredTokens(server.restoredStore()).read().users.isEmpty)
    }

    /// A service whose users may read nodes, and one node.
    private static func ruledServer() throws -> GuardedServer {
        let server = try Self.server()
        let rules = #"{"roles":{"all":{"classes":{"Node":{"read":true}}}}}"#
        let headers = [server.authorization(.admin), ("Content-Type", "application/json")]
        #expect(server.send("PUT", "/v1/access", headers, body: rules).status == 200)
        makeNode(1, server)
        return server
    }

    private static func makeNode(_ id: Int, _ server: GuardedServer) {
        let reply = server.send(
            "POST", "/v1/classes/Node/objects",
            [server.authorization(.write), ("Content-Type", "application/json")],
            body: "{\"id\":\(id)}")
        #expect(reply.status == 201, "\(reply.text)")
    }

    /// The changes of nodes since a cursor, or the present cursor.
    private static func changes(
        _ server: GuardedServer, _ token: String, since cursor: String? = nil
    ) -> HTTPClient.Reply {
        server.send(
            "GET", "/v1/classes/Node/changes" + (cursor.map { "?since=\($0)" } ?? ""),
            [("Authorization", "Bearer \(token)")])
    }

    private static func cursor(_ server: GuardedServer, _ token: String) throws -> String {
        let reply = changes(server, token)
        return try #require(QueryJSON(reply.text)?["cursor"]?.string, "\(reply.text)")
    }

    /// Expects that a cursor of before is void, as `Last-Event-ID` too, and that a new one is not.
    private static func expectNewBeginning(
        _ server: GuardedServer, _ token: String, since cursor: String
    ) throws {
        let page = changes(server, token, since: cursor)
        #expect(page.status == 410 && page.text.contains("access-changed"), "\(page.text)")
        let stream = ChangesClient(
            port: server.port, "/v1/classes/Node/changes",
            headers: [("Authorization", "Bearer \(token)"), ("Last-Event-ID", cursor)])
        #expect(stream.next()?.name == "hello")
        let reset = try #require(stream.next())
        #expect(reset.name == "reset" && reset.json["reason"]?.string == "access-changed")
        let next = try Self.cursor(server, token)
        makeNode(9, server)
        let more = changes(server, token, since: next)
        #expect(QueryJSON(more.text)?["changes"]?.elements.count == 1, "\(more.text)")
    }

    @Test("a user who was blocked begins again, also after a restart")
    func catchUp() throws {
        let server = try Self.ruledServer()
        let token = SignedInUserTests.token("ann")
        let cursor = try Self.cursor(server, token)
        #expect(Self.put(server, "ann", #"{"blocked":true}"#).status == 200)
        Self.makeNode(2, server)
        #expect(Self.put(server, "ann", "{}").status == 200)
        let listed = server.send("GET", "/v1/access/users", [server.authorization(.admin)])
        #expect(listed.text == #"{"users":[]}"#)
        try server.restart()
        try Self.expectNewBeginning(server, token, since: cursor)
    }

    @Test(
        "a user whose token had other claims for a while begins again, and not with another token")
    func otherClaims() throws {
        let server = try Self.ruledServer()
        let (phone, tablet) = (try TokenSecret(), try TokenSecret())
        try server.table.change { stored throws(RequestFault) in
            _ = try stored.add("phone", TokenTerms(.read, user: "ann"), phone.hash)
            _ = try stored.add("tablet", TokenTerms(.read, user: "ann"), tablet.hash)
        }
        let cursor = try Self.cursor(server, phone.text)
        for claims in [#"{"groups":["visitor"]}"#, "{}"] {
            let reply = server.send(
                "PATCH", "/v1/tokens/phone",
                [server.authorization(.admin), ("Content-Type", "application/json")],
                body: "{\"claims\":\(claims)}")
            #expect(reply.status == 200, "\(reply.text)")
            Self.makeNode(claims == "{}" ? 3 : 2, server)
        }
        let other = Self.changes(server, tablet.text, since: cursor)
        #expect(QueryJSON(other.text)?["changes"]?.elements.count == 2, "\(other.text)")
        try Self.expectNewBeginning(server, phone.text, since: cursor)
    }

    @Test("what was issued before a time is void, and what is issued later is not")
    func signedInAfter() throws {
        let server = try Self.server()
        let now = Int64(Glibc.time(nil))
        let old = SignedInUserTests.token("ann", ending: 300, #","iat":\#(now - 10)"#)
        let new = SignedInUserTests.token("ann", ending: 300, #","iat":\#(now)"#)
        let silent = SignedInUserTests.token("ann")
        for token in [old, new, silent] {
            #expect(SignedInUserTests.me(server, token).status == 200)
        }
        let reply = Self.put(server, "ann", #"{"signedInAfter":"\#(Self.time(-5))"}"#)
        #expect(reply.text.contains(#""blocked":false,"signedInAfter":"#), "\(reply.text)")
        #expect(SignedInUserTests.me(server, old).status == 401)
        #expect(SignedInUserTests.me(server, silent).status == 401)
        #expect(SignedInUserTests.me(server, new).status == 200)
        let shown = server.send("GET", "/v1/access/users/ann", [server.authorization(.admin)])
        #expect(shown.text == reply.text)
        #expect(Self.put(server, "aaron", #"{"blocked":true}"#).status == 200)
        let listed = server.send("GET", "/v1/access/users", [server.authorization(.admin)])
        #expect(
            listed.text == #"{"users":[{"id":"aaron","blocked":true},\#(reply.text)]}"#,
            "\(listed.text)")
        #expect(Self.put(server, "aaron", "{}").status == 200)
        #expect(try StoredTokens(server.restoredStore()).read().users.map(\.id) == ["ann"])
    }

    @Test("tokens of the store that are a user's end too, with their streams, and no others")
    func tokensOfTheStore() throws {
        let server = try Self.server()
        let secret = try TokenSecret()
        try server.table.change { stored throws(RequestFault) in
            _ = try stored.add("phone", TokenTerms(.read, user: "ann"), secret.hash)
        }
        let stream = ChangesClient(
            port: server.port, "/v1/changes", headers: [("Authorization", "Bearer \(secret.text)")])
        #expect(stream.next()?.name == "hello")
        #expect(Self.put(server, "eve", #"{"blocked":true}"#).status == 200)
        #expect(SignedInUserTests.me(server, secret.text).status == 200)
        let since = Int64(Glibc.time(nil))
        #expect(Self.put(server, "ann", #"{"signedInAfter":"\#(Self.time(2))"}"#).status == 200)
        #expect(SignedInUserTests.me(server, secret.text).status == 401)
        #expect(stream.events(to: "error").last?.json["code"]?.string == "access-ended")
        #expect(Int64(Glibc.time(nil)) - since <= 3)
        #expect(server.send("GET", "/v1", [server.authorization(.read)]).status == 200)
    }

    @Test("a grant that was forgotten ends all the same, and users without one are forgotten")
    func horizons() throws {
        var horizons = UserHorizons([])
        let grant = Grant(
            owner: 1, issued: 100, horizon: horizons.horizon(of: 5000))
        for number in UInt64(0)..<5000 { _ = horizons.horizon(of: number) }
        #expect(horizons.count <= 1025)
        #expect(grant.ending == nil)
        let parser = RequestScratch.current.parser
        let body = Array(#"{"blocked":true}"#.utf8)
        try body.withUnsafeBytes { body in
            horizons.set(try UserAccess(id: "ann", try parser.parse(body)), 5000)
        }
        #expect(grant.ending == .revoked)
    }

    @Test(
        "what says nothing of a user is refused",
        arguments: [
            ("ann", "[]", 400, "invalid-body"), ("ann", #"{"blocked":1}"#, 400, "invalid-body"),
            ("ann", #"{"locked":true}"#, 400, "invalid-body"),
            ("ann", #"{"blocked":true,"blocked":false}"#, 400, "invalid-body"),
            ("ann", #"{"signedInAfter":"yesterday"}"#, 422, "/signedInAfter"),
            ("ann", #"{"signedInAfter":"9999-12-31T23:59:59.5Z"}"#, 422, "/signedInAfter"),
            ("a%00", #"{"blocked":true}"#, 422, "invalid-user"),
        ])
    func refused(user: String, body: String, status: Int, text: String) throws {
        let reply = Self.put(try Self.server(), user, body)
        #expect(reply.status == status && reply.text.contains(text), "\(reply.text)")
    }
}
