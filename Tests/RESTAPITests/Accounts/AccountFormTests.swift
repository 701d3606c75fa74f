import HoldfastIdentity
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastRESTAPI

/// Logins and passwords that look the same but have different bytes, as from keyboards of two makers.
@Suite("Forms of logins and passwords")
struct AccountFormTests {
    private static let composed = "caf\u{E9}@example.org"
    private static let decomposed = "cafe\u{301}@example.org"
    private static let password = (
        composed: "cr\u{E8}me br\u{FB}l\u{E9}e", decomposed: "cre\u{300}me bru\u{302}le\u{301}e"
    )

    private static func status(_ world: AccountServer, _ login: String, _ password: String) -> Int {
        world.send("POST", "/v1/sessions", AccountServer.body(login, password)).status
    }

    @Test(
        "an account is one whatever form its login and password are stated in",
        arguments: [false, true])
    func oneAccount(isMadeDecomposed: Bool) throws {
        let world = try AccountServer()
        let made = world.send(
            "POST", "/v1/accounts",
            isMadeDecomposed
                ? AccountServer.body(Self.decomposed, Self.password.decomposed)
                : AccountServer.body(Self.composed, Self.password.composed), as: world.admin)
        #expect(made.status == 201, "\(made.text)")
        // The reply's bytes equal the stored bytes.
        #expect(made.text.utf8.contains("\u{E9}".utf8))
        for login in [Self.composed, Self.decomposed, "CAFE\u{301}@example.org"] {
            #expect(Self.status(world, login, Self.password.composed) == 201)
            #expect(Self.status(world, login, Self.password.decomposed) == 201)
            let again = world.send(
                "POST", "/v1/accounts", AccountServer.body(login), as: world.admin)
            #expect(again.status == 409)
        }
        #expect(Self.status(world, Self.composed, "creme brulee") == 401)
        for login in ["caf%C3%A9@example.org", "cafe%CC%81@example.org"] {
            let found = world.send("GET", "/v1/accounts?login=\(login)", as: world.admin)
            #expect(found.text == "{\"accounts\":[\(made.text)]}")
        }
    }

    @Test("a password is changed and reset in any form")
    func changed() throws {
        let world = try AccountServer()
        let id = try world.makeAccount("ann")
        let session = try world.signIn("ann")
        let change = world.send(
            "PUT", "/v1/me/password",
            #"{"password":"\#(AccountServer.password)","newPassword":"\#(Self.password.decomposed)"}"#,
            as: session)
        #expect(change.status == 204, "\(change.text)")
        #expect(Self.status(world, "ann", Self.password.composed) == 201)
        let code = world.send("POST", "/v1/accounts/\(id)/reset-code", as: world.admin)
        let text = try #require(QueryJSON(code.text)?["code"]?.string)
        let reset = world.send(
            "POST", "/v1/password-resets",
            #"{"code":"\#(text)","newPassword":"\#(Self.password.decomposed) 2"}"#)
        #expect(reset.status == 204, "\(reset.text)")
        #expect(Self.status(world, "ann", Self.password.composed + " 2") == 201)
    }

    @Test("a password has as many bytes as its composed form")
    func lengths() throws {
        let world = try AccountServer()
        for (password, status) in [
            ("aaaaae\u{301}", 422), ("aaaaaae\u{301}", 201),
            (String(repeating: "e\u{301}", count: 512), 201),
            (String(repeating: "e\u{301}", count: 513), 422),
        ] {
            let body = AccountServer.body("user\(password.utf8.count)", password)
            #expect(world.send("POST", "/v1/accounts", body, as: world.admin).status == status)
        }
    }

    @Test(
        "accounts of former versions sign in as they did, two whose logins differ in form alone included"
    )
    func formerAccounts() throws {
        let world = try AccountServer()
        let store = world.server.running.service.store
        let hashes = Monitor<[String]>([])
        world.server.running.service.passwords.submit(
            PasswordHasher.Work(from: ClientKey(networkOf: "10.0.0.1")) { worker in
                let made = [Self.password.decomposed, "of the other"].compactMap { worker.hash($0) }
                hashes.update { $0 = made }
            })
        let made = hashes.wait { $0.count == 2 ? $0 : nil }
        func put(_ login: String, _ hash: String) throws {
            let record = AccountRecord(id: .random(), login: login, passwordHash: hash, seconds: 1)
            try store.write { $0.putAccount(record) }
        }
        try put(Self.decomposed, made[0])
        for login in [Self.decomposed, Self.composed] {
            #expect(Self.status(world, login, Self.password.decomposed) == 201)
            #expect(Self.status(world, login, Self.password.composed) == 201)
        }
        let taken = world.send(
            "POST", "/v1/accounts", AccountServer.body(Self.composed), as: world.admin)
        #expect(taken.status == 409)
        try put(Self.composed, made[1])
        #expect(Self.status(world, Self.decomposed, Self.password.decomposed) == 201)
        #expect(Self.status(world, Self.composed, "of the other") == 201)
        #expect(Self.status(world, Self.composed, Self.password.composed) == 401)
    }

    @Test(
        "as much is compared for a login of nobody as for a wrong password, in whatever form that is"
    )
    func equalWork() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        let passwords = world.server.running.service.passwords
        for password in [Self.password.composed, Self.password.decomposed] {
            let counts = ["ann", "nobody"].map { login in
                let before = passwords.hashCount
                #expect(Self.status(world, login, password) == 401)
                return passwords.hashCount - before
            }
            #expect(counts[0] == counts[1])
        }
    }
}
