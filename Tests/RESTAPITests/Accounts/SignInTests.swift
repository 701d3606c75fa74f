import Glibc
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastRESTAPI

/// Signing in, and what is refused.
@Suite("Signing in")
struct SignInTests {
    @Test("a session says who asks, as a user, and holds after a restart")
    func session() throws {
        let world = try AccountServer()
        let id = try world.makeAccount("Ann@example.org")
        let reply = world.send("POST", "/v1/sessions", AccountServer.body("ANN@example.org"))
        #expect(reply.status == 201 && reply.headers["cache-control"] == "no-store")
        let session = try #require(QueryJSON(reply.text))
        #expect(session["user"]?.string == id)
        let token = try #require(session["token"]?.string)
        #expect(token.hasPrefix("hfs_") && token.utf8.count == 68)
        for _ in 0..<2 {
            let me = try #require(QueryJSON(world.send("GET", "/v1/me", as: token).text))
            #expect(me["user"]?.string == id && me["login"]?.string == "Ann@example.org")
            #expect(me["expires"]?.string == session["expires"]?.string)
            #expect(me["right"] == nil && me["token"] == nil)
            #expect(world.send("GET", "/v1/tokens", as: token).status == 403)
            try world.server.restart()
        }
    }

    @Test(
        "an unknown login, a wrong password and a blocked user are answered the same, after as many hashes"
    )
    func refused() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        let blocked = try world.makeAccount("eve")
        let block = world.send(
            "PUT", "/v1/access/users/\(blocked)", #"{"blocked":true}"#, as: world.admin)
        #expect(block.status == 200, "\(block.text)")
        let passwords = world.server.running.service.passwords
        var replies: Set<String> = []
        for body in [
            AccountServer.body("nobody"), AccountServer.body("ann", "another"),
            AccountServer.body("nobody", ""), AccountServer.body("eve"),
        ] {
            let before = passwords.hashCount
            let reply = world.send("POST", "/v1/sessions", body)
            #expect(reply.status == 401)
            #expect(passwords.hashCount == before + 1)
            replies.insert(reply.text)
        }
        #expect(replies.count == 1 && replies.first?.contains("sign-in-refused") == true)
        let before = passwords.hashCount
        _ = try world.signIn("ann")
        #expect(passwords.hashCount == before + 1)
    }

    @Test(
        "after ten tries that failed a login waits, and so does an address; those that succeed don't count"
    )
    func tries() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        for _ in 0..<11 { _ = try world.signIn("ann") }
        for number in 0..<10 {
            let body = AccountServer.body("ann", "wrong")
            #expect(world.send("POST", "/v1/sessions", body).status == 401, "\(number)")
        }
        let reply = world.send("POST", "/v1/sessions", AccountServer.body("ann"))
        #expect(reply.status == 429 && reply.text.contains("too-many-tries"), "\(reply.text)")
        let seconds = try #require(reply.headers["retry-after"].flatMap { Int($0) })
        #expect((1...60).contains(seconds))
        #expect(world.send("POST", "/v1/sessions", AccountServer.body("eve")).status == 429)
        let reset = #"{"code":"hfr_","newPassword":"12345678"}"#
        #expect(world.send("POST", "/v1/password-resets", reset).status == 429)
        world.openSignUp()
        #expect(world.send("POST", "/v1/accounts", AccountServer.body("bob")).status == 429)
        _ = try world.makeAccount("carl")
    }

    @Test("a password that was reset can be tried at once, whatever was tried before")
    func resetForgets() throws {
        let tries = SignInTries()
        func begin(_ address: Int) throws(RequestFault) {
            _ = try tries.begin(
                login: "Ann", address: ClientKey(address: "10.0.0.\(address):1"), at: 1000)
        }
        for address in 0..<10 { try begin(address) }
        #expect(throws: RequestFault.self) { try begin(20) }
        tries.forget(login: "ann")
        try begin(20)
    }

    @Test("a try for which nothing is compared does not count")
    func busy() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        let passwords = world.server.running.service.passwords
        let isFree = Monitor(false)
        var taken = 0
        // Its threads take some of what waits.
        let countMax = PasswordHasher.waitingCountMax + PasswordHasher.threadCount
        for _ in 0..<30_000 where taken < countMax {
            while passwords.submit({ _ in _ = isFree.wait { $0 ? true : nil } }) { taken += 1 }
            usleep(1000)
        }
        #expect(taken == countMax)
        let body = AccountServer.body("ann")
        for _ in 0..<12 {
            let reply = world.send("POST", "/v1/sessions", body)
            #expect(reply.status == 503 && reply.text.contains("busy"), "\(reply.text)")
        }
        isFree.update { $0 = true }
        var reply = world.send("POST", "/v1/sessions", body)
        // What waits goes first.
        for _ in 0..<1000 where reply.status == 503 {
            usleep(1000)
            reply = world.send("POST", "/v1/sessions", body)
        }
        #expect(reply.status == 201, "\(reply.text)")
    }

    @Test(
        "tries are counted for a login from anywhere, for an address with any login, and for a minute"
    )
    func counting() throws {
        let tries = SignInTries()
        func begin(_ login: String?, _ address: String, at time: UInt64) throws(RequestFault) {
            _ = try tries.begin(login: login, address: ClientKey(address: address), at: time)
        }
        for number in 0..<10 { try begin("ann", "10.0.0.\(number):1", at: 1000 + UInt64(number)) }
        #expect(throws: RequestFault.self) { try begin("ANN", "10.1.0.1:1", at: 2000) }
        do throws(RequestFault) { try begin("ann", "10.1.0.1:1", at: 60_999) } catch {
            #expect(error.code == "too-many-tries" && error.retryAfterSeconds == 1)
        }
        try begin("ann", "10.1.0.1:1", at: 61_000)
        #expect(throws: RequestFault.self) { try begin("ann", "10.1.0.1:1", at: 61_000) }
        for number in 0..<10 { try begin("user \(number)", "10.2.0.1:\(number)", at: 100_000) }
        #expect(throws: RequestFault.self) { try begin("other", "10.2.0.1:99", at: 100_001) }
        let given = try tries.begin(login: "x", address: ClientKey(address: "::1"), at: 100_002)
        tries.giveBack(given)
        for _ in 0..<10 { try begin("x", "::1", at: 100_003) }
        #expect(throws: RequestFault.self) { try begin("x", "::1", at: 100_004) }
        for number in 0..<3000 {
            let address = "10.\(number / 200 + 5).0.\(number % 200):1"
            try begin(nil, address, at: 200_000 + UInt64(number) * 1000)
        }
        #expect(tries.count < 1100)
    }

    @Test("pages of any origin may sign in, unless some are named")
    func origins() throws {
        let origin = ("Origin", "https://page.example")
        for (named, isAllowed) in [([], true), (["https://other.example"], false)] {
            let server = try GuardedServer(withTokens: true, cors: CORSPolicy(origins: named))
            for path in ["/v1/sessions", "/v1/accounts", "/v1/password-resets"] {
                let asked = server.send(
                    "OPTIONS", path,
                    [
                        origin, ("Access-Control-Request-Method", "POST"),
                        ("Access-Control-Request-Headers", "content-type"),
                    ])
                #expect(
                    (asked.headers["access-control-allow-origin"] != nil) == isAllowed, "\(path)")
                #expect((asked.headers["access-control-allow-methods"] != nil) == isAllowed)
                let sent = server.send(
                    "POST", path, [origin, ("Content-Type", "application/json")], body: "{}")
                #expect((sent.headers["access-control-allow-origin"] != nil) == isAllowed)
            }
            let other = server.send("GET", "/v1", [origin])
            #expect(other.headers["access-control-allow-origin"] == nil)
        }
    }
}
