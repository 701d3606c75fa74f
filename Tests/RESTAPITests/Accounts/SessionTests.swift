import HoldfastAccess
import Glibc
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// How sessions and passwords end.
@Suite("Sessions of accounts")
struct SessionTests {
    @Test(
        "signing out ends a session, and signing out everywhere those of the account and no others")
    func signingOut() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        _ = try world.makeAccount("eve")
        let sessions = try (0..<3).map { _ in try world.signIn("ann") }
        let other = try world.signIn("eve")
        #expect(world.send("DELETE", "/v1/sessions/current", as: sessions[0]).status == 204)
        #expect(sessions.map { world.status($0) } == [401, 200, 200])
        #expect(world.send("DELETE", "/v1/sessions/current", as: sessions[0]).status == 401)
        #expect(world.send("DELETE", "/v1/sessions", as: sessions[1]).status == 204)
        #expect(sessions.map { world.status($0) } == [401, 401, 401])
        #expect(world.status(other) == 200)
        try world.server.restart()
        #expect(sessions.map { world.status($0) } == [401, 401, 401])
        #expect(world.status(other) == 200)
        #expect(world.status(try world.signIn("ann")) == 200)
    }

    @Test("what a user is blocked or signed out by ends sessions, too")
    func barred() throws {
        let world = try AccountServer()
        let id = try world.makeAccount("ann")
        let session = try world.signIn("ann")
        let path = "/v1/access/users/\(id)"
        #expect(world.send("PUT", path, #"{"blocked":true}"#, as: world.admin).status == 200)
        #expect(world.status(session) == 401)
        #expect(world.send("PUT", path, "{}", as: world.admin).status == 200)
        #expect(world.status(session) == 200)
        let later = Timestamp(seconds: Timestamp.now().seconds + 100, nanoseconds: 0)
        let body = "{\"signedInAfter\":\"\(later)\"}"
        #expect(world.send("PUT", path, body, as: world.admin).status == 200)
        #expect(world.status(session) == 401)
        try world.server.restart()
        #expect(world.status(session) == 401)
    }

    @Test("a stream ends with its session, also where that was let in again behind a block")
    func endOfStream() throws {
        let world = try AccountServer()
        let id = try world.makeAccount("ann")
        let rules = #"{"roles":{"m":{"classes":{"Loose":{"read":true}}}}}"#
        #expect(world.send("PUT", "/v1/access", rules, as: world.admin).status == 200)
        let session = try world.signIn("ann")
        let path = "/v1/access/users/\(id)"
        // Between two looks of the watch, as a script does it: in one of these at least.
        for _ in 0..<3 {
            let stream = ChangesClient(
                port: world.server.port, "/v1/classes/Loose/changes?since=start",
                headers: [("Authorization", "Bearer \(session)")])
            _ = stream.events(to: "upToDate")
            #expect(world.send("PUT", path, #"{"blocked":true}"#, as: world.admin).status == 200)
            #expect(world.status(session) == 401)
            #expect(world.send("PUT", path, "{}", as: world.admin).status == 200)
            #expect(world.status(session) == 200)
            while let event = stream.next() {
                #expect(event.isHeartbeat || event.name == "error", "\(event)")
            }
        }
        #expect(world.send("DELETE", "/v1/sessions/current", as: session).status == 204)
    }

    @Test("a change of the password needs the present one, and ends the other sessions")
    func change() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        let (mine, other) = (try world.signIn("ann"), try world.signIn("ann"))
        func change(_ password: String) -> HTTPClient.Reply {
            world.send(
                "PUT", "/v1/me/password",
                #"{"password":"\#(password)","newPassword":"another one"}"#, as: mine)
        }
        let wrong = change("wrong")
        #expect(wrong.status == 403 && wrong.text.contains("password-wrong"), "\(wrong.text)")
        #expect(world.status(other) == 200)
        #expect(change(AccountServer.password).status == 204)
        #expect(world.status(mine) == 200 && world.status(other) == 401)
        #expect(world.send("POST", "/v1/sessions", AccountServer.body("ann")).status == 401)
        #expect(world.status(try world.signIn("ann", "another one")) == 200)
        let token = world.send(
            "PUT", "/v1/me/password", #"{"password":"x","newPassword":"another one"}"#,
            as: world.admin)
        #expect(token.status == 403 && token.text.contains("not-allowed"))
    }

    @Test(
        "a code resets a password once, ends the sessions, and holds no more when another was made")
    func reset() throws {
        let world = try AccountServer()
        let id = try world.makeAccount("ann")
        let session = try world.signIn("ann")
        func code() throws -> String {
            let made = world.send("POST", "/v1/accounts/\(id)/reset-code", as: world.admin)
            #expect(made.status == 201 && made.headers["cache-control"] == "no-store")
            return try #require(QueryJSON(made.text)?["code"]?.string)
        }
        func reset(_ code: String) -> HTTPClient.Reply {
            world.send(
                "POST", "/v1/password-resets",
                #"{"code":"\#(code)","newPassword":"another one"}"#)
        }
        let (first, second) = (try code(), try code())
        let passwords = world.server.running.service.passwords
        let before = passwords.hashCount
        for wrong in [first, String(second.dropLast()) + "!", session, "", "hfr_"] {
            let reply = reset(wrong)
            #expect(reply.status == 401 && reply.text.contains("reset-code-invalid"))
        }
        #expect(passwords.hashCount == before, "a code of nobody costs no hash")
        #expect(world.status(session) == 200)
        #expect(reset(second).status == 204)
        #expect(world.status(session) == 401)
        #expect(reset(second).status == 401)
        #expect(world.status(try world.signIn("ann", "another one")) == 200)
    }

    @Test("a code ends by itself, and so does a session that is not used")
    func ends() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        let accounts = StoredAccounts(store)
        let account = try accounts.create(NewAccount(login: "ann", passwordHash: "hash"))
        let (code, end) = try accounts.makeResetCode(of: account.id)
        #expect(try accounts.account(resetBy: code, at: end.seconds - 1) == account)
        #expect(throws: RequestFault.self) {
            try accounts.account(resetBy: code, at: end.seconds)
        }
        let secret = try AccountSecret(.session, of: account.id)
        let session = try accounts.begin(secret, after: "hash")
        #expect(session.end == session.began + 30 * 86_400)
        #expect(try accounts.session(secret, at: session.end - 1) != nil)
        #expect(try accounts.session(secret, at: session.end) == nil)
        #expect(throws: RequestFault.self) { try accounts.begin(secret, after: "another") }
    }

    @Test("the last use of a session is noted by the hour, and moves its end")
    func uses() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        let accounts = StoredAccounts(store)
        let account = try accounts.create(NewAccount(login: "ann", passwordHash: "hash"))
        let secret = try AccountSecret(.session, of: account.id)
        let began = try accounts.begin(secret, after: "hash").began
        let sessions = AccountSessions(accounts)
        func use(_ seconds: Int64) throws -> Grant {
            try Array(secret.text.utf8).withUnsafeBytes { token in
                try sessions.grant(token, at: began + seconds) { session, _ in
                    Grant(owner: 1, until: session.end)
                }
            }
        }
        let grant = try use(0)
        #expect(try use(3599) === grant && !sessions.hasUses)
        let end = grant.until
        #expect(try use(3600) === grant && sessions.hasUses)
        #expect(grant.until == end + 3600)
        try sessions.noteUses()
        #expect(!sessions.hasUses)
        #expect(try accounts.session(secret)?.used == began + 3600)
        let other = AccountSessions(accounts)
        sessions.end(secret.hash)
        #expect(grant.ending == .revoked)
        try accounts.end(secret.hash, of: account.id)
        try accounts.note([secret.hash: (account.id, began + 7200)])
        #expect(try accounts.session(secret) == nil, "a use that is noted late begins no session")
        _ = other
    }

    @Test("an account has a hundred sessions at most, and those that are used least make room")
    func many() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        let accounts = StoredAccounts(store)
        let account = try accounts.create(NewAccount(login: "ann", passwordHash: "hash"))
        let first = try AccountSecret(.session, of: account.id)
        let began = try accounts.begin(first, after: "hash").began
        try accounts.note([first.hash: (account.id, began + 60)])
        var secrets: [AccountSecret] = []
        for _ in 0..<101 {
            secrets.append(try AccountSecret(.session, of: account.id))
            _ = try accounts.begin(try #require(secrets.last), after: "hash")
        }
        let left = try secrets.filter { try accounts.session($0) != nil }
        #expect(left.count == 99)
        #expect(try accounts.session(first) != nil)
        #expect(try accounts.session(try #require(secrets.last)) != nil)
    }

    @Test(
        "who has signed in may do what the access document says, and their streams begin again under another"
    )
    func rules() throws {
        let world = try AccountServer()
        let id = try world.makeAccount("ann")
        let session = try world.signIn("ann")
        for (key, owner) in [(1, id), (2, "eve")] {
            let put = world.send(
                "PUT", "/v1/classes/Node/objects/\(key)", #"{"label":"\#(owner)"}"#,
                as: world.admin)
            #expect(put.status == 201, "\(put.text)")
        }
        #expect(world.send("GET", "/v1/classes/Node/objects", as: session).status == 403)
        let document =
            #"{"roles":{"own":{"classes":{"Node":{"read":"label == $user.id"}}}}}"#
        #expect(world.send("PUT", "/v1/access", document, as: world.admin).status == 200)
        let seen = try #require(
            QueryJSON(world.send("GET", "/v1/classes/Node/objects", as: session).text))
        #expect(seen["objects"]?.elements.map { $0["id"]?.int } == [1])
        #expect(world.send("GET", "/v1/classes/Node/objects/2", as: session).status == 404)
        let me = QueryJSON(world.send("GET", "/v1/me", as: session).text)
        #expect(me?["roles"]?.elements.map(\.string) == ["own"])
        let stream = ChangesClient(
            port: world.server.port, "/v1/classes/Node/changes",
            headers: [("Authorization", "Bearer \(session)")])
        #expect(stream.nextEvent().name == "hello")
        let other = document.replacing("label == $user.id", with: "label == 'eve'")
        #expect(world.send("PUT", "/v1/access", other, as: world.admin).status == 200)
        let events = stream.events(to: "upToDate")
        #expect(events.first?.json["reason"]?.string == "access-changed", "\(events)")
        let shown = events.flatMap { $0.json["objects"]?.elements ?? [] }
        #expect(shown.map { $0["id"]?.int } == [2])
        #expect(world.send("GET", "/v1/classes/Node/objects/2", as: session).status == 200)
        #expect(world.send("DELETE", "/v1/sessions", as: session).status == 204)
        #expect(stream.events(to: "error").last?.json["code"]?.string == "access-ended")
    }

    @Test("what a session has begun is over when it is")
    func streams() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        let session = try world.signIn("ann")
        let grant = try Array(session.utf8).withUnsafeBytes { token in
            try world.server.running.service.users?.grant(token)
        }
        let held = try #require(grant)
        #expect(held.ending == nil)
        #expect(world.send("DELETE", "/v1/sessions", as: session).status == 204)
        #expect(held.ending == .revoked)
    }
}
