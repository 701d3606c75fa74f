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
        func fail(_ address: Int) -> String {
            Self.fail(tries, "Ann", "10.0.0.\(address):1", at: 1000)
        }
        for address in 0..<10 { #expect(fail(address) == "sign-in-refused") }
        #expect(fail(20) == "too-many-tries")
        tries.forget(login: "ann")
        #expect(fail(20) == "sign-in-refused")
    }

    @Test("a try for which nothing is compared does not count")
    func busy() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        let passwords = world.server.running.service.passwords
        let isFree = Monitor(false)
        let running = Monitor(0)
        func fill(_ count: Int) {
            for _ in 0..<count {
                passwords.submit(
                    PasswordHasher.Work(from: ClientKey(networkOf: "127.0.0.1:1")) { _ in
                        running.update { $0 += 1 }
                        isFree.wait { $0 ? () : nil }
                    })
            }
        }
        fill(PasswordHasher.threadCount)
        running.wait { $0 == PasswordHasher.threadCount ? () : nil }
        fill(RESTOptions().waitingSignInCountMax)
        let body = AccountServer.body("ann")
        for _ in 0..<12 {
            let reply = world.send("POST", "/v1/sessions", body)
            #expect(reply.status == 503 && reply.text.contains("busy"), "\(reply.text)")
        }
        isFree.update { $0 = true }
        var reply = world.send("POST", "/v1/sessions", body)
        // What waits goes first.
        for _ in 0..<30_000 where reply.status == 503 {
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
        func fail(_ login: String?, _ address: String, at time: UInt64) -> String {
            Self.fail(tries, login, address, at: time)
        }
        let (failed, tooMany) = ("sign-in-refused", "too-many-tries")
        for number in 0..<10 {
            #expect(fail("ann", "10.0.0.\(number):1", at: 1000 + UInt64(number)) == failed)
        }
        #expect(fail("ANN", "10.1.0.1:1", at: 2000) == tooMany)
        do throws(RequestFault) {
            try tries.check(Self.subject("ann", "10.1.0.1:1"), at: 60_999)
            Issue.record("It was let pass.")
        } catch {
            #expect(error.code == tooMany && error.retryAfterSeconds == 1)
        }
        #expect(fail("ann", "10.1.0.1:1", at: 61_000) == failed)
        #expect(fail("ann", "10.1.0.1:1", at: 61_000) == tooMany)
        for number in 0..<10 {
            #expect(fail("user \(number)", "10.2.0.1:\(number)", at: 100_000) == failed)
        }
        #expect(fail("other", "10.2.0.1:99", at: 100_001) == tooMany)
        for _ in 0..<30 { try tries.run(Self.subject("x", "::1"), at: 100_002) {} }
        for _ in 0..<10 { #expect(fail("x", "::1", at: 100_003) == failed) }
        #expect(fail("x", "::1", at: 100_004) == tooMany)
        let always = SignInTries.Subject(
            login: nil, address: ClientKey(address: "10.3.0.1"), isCountedAlways: true)
        for _ in 0..<10 { try tries.run(always, at: 100_005) {} }
        #expect(throws: RequestFault.self) { try tries.run(always, at: 100_006) {} }
        for number in 0..<3000 {
            let address = "10.\(number / 200 + 5).0.\(number % 200):1"
            #expect(fail(nil, address, at: 200_000 + UInt64(number) * 1000) == failed)
        }
        #expect(tries.count < 1100)
    }

    @Test(
        "a try waits for those under way where it depends on them whether it is the eleventh",
        arguments: [(true, "sign-in-refused"), (false, "too-many-tries")])
    func underWay(isRight: Bool, outcome: String) throws {
        let tries = SignInTries()
        for _ in 0..<9 {
            #expect(Self.fail(tries, "ann", "10.0.0.1", at: 1000) == "sign-in-refused")
        }
        let isBegun = Monitor(false)
        let isReleased = Monitor(false)
        let second = Monitor<String?>(nil)
        let threads = [
            try #require(
                SystemThread {
                    try? tries.run(Self.subject("ann", "10.0.0.1"), at: 1000) {
                        () throws(RequestFault) in
                        isBegun.update { $0 = true }
                        isReleased.wait { $0 ? () : nil }
                        if !isRight { throw .signInRefused }
                    }
                }),
            try #require(
                SystemThread {
                    isBegun.wait { $0 ? () : nil }
                    let code = Self.fail(tries, "ann", "10.0.0.1", at: 1000)
                    second.update { $0 = code }
                }),
        ]
        isBegun.wait { $0 ? () : nil }
        #expect(second.wait(microseconds: 100_000) { $0 } == nil)
        isReleased.update { $0 = true }
        #expect(second.wait { $0 } == outcome)
        for thread in threads { thread.join() }
    }

    @Test(
        "thirty sign-ins at once from one address succeed, and of as many guesses ten are looked at"
    )
    func manyAtOnce() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        func statuses(_ body: String) -> [Int] {
            let found = Monitor<[Int]>([])
            let port = world.server.port
            let threads = (0..<30).compactMap { _ in
                SystemThread {
                    let client = HTTPClient(port: port)
                    let reply = client.send(
                        "POST", "/v1/sessions", headers: [("Content-Type", "application/json")],
                        body: Array(body.utf8))
                    found.update { $0.append(reply.status) }
                }
            }
            for thread in threads { thread.join() }
            return found.withLock { $0.sorted() }
        }
        // On a busy machine some tries wait too long.
        let right = statuses(AccountServer.body("ann"))
        #expect(right.contains(201) && right.allSatisfy { [201, 503].contains($0) }, "\(right)")
        let guesses = statuses(AccountServer.body("ann", "wrong guess"))
        #expect(guesses.allSatisfy { [401, 429, 503].contains($0) }, "\(guesses)")
        let count = guesses.filter { $0 == 401 }.count
        #expect(count == 10 || count < 10 && guesses.contains(503), "\(guesses)")
    }

    private static func subject(_ login: String?, _ address: String) -> SignInTries.Subject {
        SignInTries.Subject(login: login, address: ClientKey(address: address))
    }

    /// Makes a try with a wrong value, and returns the code of the refusal.
    private static func fail(
        _ tries: SignInTries, _ login: String?, _ address: String, at time: UInt64
    ) -> String {
        do throws(RequestFault) {
            try tries.run(subject(login, address), at: time) { () throws(RequestFault) in
                throw .signInRefused
            }
            return "none"
        } catch {
            return error.code
        }
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
