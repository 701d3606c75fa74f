import HoldfastAccess
import Glibc
import HoldfastHTTPServer
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Accounts that are made, listed, changed and removed over HTTP.
@Suite("Accounts")
struct AccountTests {
    @Test("an account is made, found by its login in any case, and removed with its sessions")
    func life() throws {
        let world = try AccountServer()
        let made = world.send(
            "POST", "/v1/accounts", AccountServer.body("Ann@example.org"), as: world.admin)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(QueryJSON(made.text)?["id"]?.string)
        #expect(made.headers["location"] == "/v1/accounts/\(id)")
        #expect(!made.text.contains("password") && !made.text.contains("argon"))
        let again = world.send(
            "POST", "/v1/accounts", AccountServer.body("ann@EXAMPLE.org"), as: world.admin)
        #expect(again.status == 409 && again.text.contains("account-exists"), "\(again.text)")
        _ = try world.makeAccount("eve")
        let read = world.send("GET", "/v1/accounts/\(id)", as: world.admin)
        #expect(read.status == 200 && read.text == made.text)
        let found = world.send("GET", "/v1/accounts?login=ANN@example.org", as: world.admin)
        #expect(found.text == "{\"accounts\":[\(made.text)]}")
        #expect(
            world.send("GET", "/v1/accounts?login=bob", as: world.admin).text == #"{"accounts":[]}"#
        )
        let session = try world.signIn("ann@example.org")
        let other = try world.signIn("eve")
        #expect(world.send("DELETE", "/v1/accounts/\(id)", as: world.admin).status == 204)
        #expect(world.status(session) == 401)
        #expect(world.status(other) == 200)
        for method in ["GET", "DELETE"] {
            let reply = world.send(method, "/v1/accounts/\(id)", as: world.admin)
            #expect(reply.status == 404 && reply.text.contains("account-not-found"))
        }
        #expect(
            world.send("POST", "/v1/sessions", AccountServer.body("ann@example.org")).status == 401)
    }

    @Test("accounts are listed page by page, by their logins without case")
    func pages() throws {
        let world = try AccountServer()
        for login in ["b", "A", "c"] { _ = try world.makeAccount(login) }
        let first = try #require(
            QueryJSON(world.send("GET", "/v1/accounts?limit=2", as: world.admin).text))
        #expect(first["accounts"]?.elements.map { $0["login"]?.string } == ["A", "b"])
        let next = try #require(first["next"]?.string)
        let last = world.send("GET", "/v1/accounts?limit=2&cursor=\(next)", as: world.admin)
        let page = try #require(QueryJSON(last.text))
        #expect(page["accounts"]?.elements.map { $0["login"]?.string } == ["c"])
        #expect(page["next"] == nil)
        #expect(world.send("GET", "/v1/accounts?limit=0", as: world.admin).status == 400)
    }

    @Test("accounts are for admins, and made by anybody only where the access document says so")
    func rights() throws {
        let world = try AccountServer()
        let id = try world.makeAccount("ann")
        let session = try world.signIn("ann")
        for target in ["/v1/accounts", "/v1/accounts/\(id)"] {
            #expect(world.send("GET", target).status == 401)
            #expect(world.send("GET", target, as: session).status == 403)
            #expect(world.send("GET", target, as: world.server.tokens[.write]).status == 403)
        }
        #expect(world.send("DELETE", "/v1/accounts/\(id)", as: session).status == 403)
        #expect(world.send("POST", "/v1/accounts/\(id)/reset-code", as: session).status == 403)
        let body = AccountServer.body("bob")
        for bearer in [nil, session, world.server.tokens[.write]] {
            let reply = world.send("POST", "/v1/accounts", body, as: bearer)
            #expect(reply.status == (bearer == nil ? 401 : 403), "\(reply.text)")
        }
        world.openSignUp()
        let made = world.send("POST", "/v1/accounts", body)
        #expect(made.status == 201, "\(made.text)")
        #expect(world.status(try world.signIn("bob")) == 200)
    }

    @Test(
        "what is no account is refused, and says what is wrong",
        arguments: [
            ("[]", 400, "invalid-body"), (#"{"login":"a"}"#, 400, "invalid-body"),
            (#"{"login":"a","password":1}"#, 400, "invalid-body"),
            (#"{"login":"a","login":"b","password":"12345678"}"#, 400, "invalid-body"),
            (#"{"login":"","password":"12345678"}"#, 422, "/login"),
            (#"{"login":" a","password":"12345678"}"#, 422, "/login"),
            (#"{"login":"a\u0000","password":"12345678"}"#, 422, "/login"),
            (#"{"login":"a","password":"1234567"}"#, 422, "/password"),
            (
                #"{"login":"a","password":"\#(String(repeating: "x", count: 1025))"}"#, 422,
                "/password"
            ),
        ])
    func refused(body: String, status: Int, text: String) throws {
        let world = try AccountServer()
        let reply = world.send("POST", "/v1/accounts", body, as: world.admin)
        #expect(reply.status == status && reply.text.contains(text), "\(reply.text)")
    }

    @Test("a sign-up may make the user's own object by the rules of that user, or makes nothing")
    func ownObject() throws {
        let world = try AccountServer()
        let schema =
            #"{"primaryKey":"id","properties":{"id":"uuid","name":"string?","editor":"bool"}}"#
        #expect(
            world.send("PUT", "/v1/schema/classes/Member", schema, as: world.admin).status == 201)
        let access = #"""
            {"users":"Member","signUp":true,"roles":{"self":{"classes":{"Member":{
              "read":"id == $user.id","create":"id == $user.id","properties":{"editor":"read"}}}}}}
            """#
        #expect(world.send("PUT", "/v1/access", access, as: world.admin).status == 200)
        func signUp(_ object: String, as bearer: String? = nil) -> HTTPClient.Reply {
            world.send(
                "POST", "/v1/accounts",
                AccountServer.body("ann").dropLast() + #","object":\#(object)}"#, as: bearer)
        }
        for (object, bearer, status, text) in [
            (#"{"nam":"Ann"}"#, nil, 422, #""pointer":"/object/nam""#),
            (#"{"editor":true}"#, nil, 403, #""pointer":"/object""#),
            (#"{"editor":true}"#, world.admin, 403, #""pointer":"/object""#),
            (#"{},"more":1"#, nil, 400, "the user's own 'object'"),
        ] as [(String, String?, Int, String)] {
            let reply = signUp(object, as: bearer)
            #expect(reply.status == status && reply.text.contains(text), "\(reply.text)")
        }
        #expect(
            world.send("GET", "/v1/accounts", as: world.admin).text == #"{"accounts":[]}"#)
        let made = signUp(#"{"name":"Ann"}"#)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(QueryJSON(made.text)?["id"]?.string)
        let session = try world.signIn("ann")
        #expect(
            world.send("GET", "/v1/classes/Member/objects/\(id)", as: session).text
                == #"{"id":"\#(id)","name":"Ann","editor":false}"#)
        #expect(signUp("{}").status == 409)
    }

    @Test("who has not said who they are may send a small body alone")
    func large() throws {
        let world = try AccountServer()
        let body = AccountServer.body("ann", String(repeating: "x", count: 20_000))
        let reply = world.send("POST", "/v1/sessions", body)
        #expect(reply.status == 413, "\(reply.text)")
    }

    @Test("backups have accounts and sessions, exports have none, and a check finds no fault")
    func backups() throws {
        let world = try AccountServer()
        _ = try world.makeAccount("ann")
        let token = try world.signIn("ann")
        let restored = try world.server.restoredStore()
        defer { restored.close() }
        let accounts = StoredAccounts(restored)
        #expect(try accounts.account(login: "ann")?.account.login == "ann")
        let secret = Array(token.utf8).withUnsafeBytes { AccountSecret(.session, stated: $0) }
        #expect(try accounts.session(try #require(secret)) != nil)
        #expect(try StoreCheck.run(restored).findings.isEmpty)
        let text = world.send("GET", "/v1/export", as: world.admin).text
        #expect(!text.contains("ann") && !text.contains("argon2id"))
    }

    @Test("on a store that needs no token one is needed from the first account on")
    func first() throws {
        let server = try GuardedServer(withTokens: false)
        let type = [("Content-Type", "application/json")]
        let made = server.send("POST", "/v1/accounts", type, body: AccountServer.body("ann"))
        #expect(made.status == 201, "\(made.text)")
        for _ in 0..<2 {
            #expect(server.send("GET", "/v1").status == 401)
            let signedIn = server.send(
                "POST", "/v1/sessions", type, body: AccountServer.body("ann"))
            #expect(signedIn.status == 201, "\(signedIn.text)")
            try server.restart()
        }
    }

    @Test("a login that none can be is that of no account")
    func longLogin() throws {
        let world = try AccountServer()
        let login = String(repeating: "x", count: 600)
        let reply = world.send("GET", "/v1/accounts?login=\(login)", as: world.admin)
        #expect(reply.status == 200 && reply.text == #"{"accounts":[]}"#, "\(reply.text)")
    }

    @Test("only an account that is made has requests need a token, and no change of one")
    func needOfTokens() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        defer { store.close() }
        let (accounts, tokens) = (StoredAccounts(store), StoredTokens(store))
        let account = try accounts.create(NewAccount(login: "ann", passwordHash: "$"))
        #expect(try tokens.read().areNeeded)
        try tokens.removeAll()
        #expect(try !tokens.read().areNeeded)
        let code = try accounts.makeResetCode(of: account.id).code
        try accounts.reset(by: code, to: "$$")
        #expect(try !tokens.read().areNeeded)
    }

    @Test("each change of an account leaves a line in the log, with who made it")
    func audit() throws {
        var id = ""
        let text = try written { descriptor in
            let world = try AccountServer(logger: Logger(level: .notice, descriptor: descriptor))
            id = try world.makeAccount("ann")
            let session = try world.signIn("ann")
            let change = #"{"password":"correct horse battery","newPassword":"12345678"}"#
            #expect(world.send("PUT", "/v1/me/password", change, as: session).status == 204)
            #expect(world.send("DELETE", "/v1/sessions", as: session).status == 204)
            let made = world.send("POST", "/v1/accounts/\(id)/reset-code", as: world.admin)
            let code = try #require(QueryJSON(made.text)?["code"]?.string)
            let reset = #"{"code":"\#(code)","newPassword":"12345678"}"#
            #expect(world.send("POST", "/v1/password-resets", reset).status == 204)
            #expect(world.send("POST", "/v1/password-resets", reset).status == 401)
            #expect(world.send("DELETE", "/v1/accounts/\(id)", as: world.admin).status == 204)
        }
        #expect(!text.contains("hfs_") && !text.contains("hfr_") && !text.contains("12345678"))
        let lines = text.split(separator: "\n").compactMap { QueryJSON(String($0)) }.filter {
            $0["message"]?.string == "audit"
        }
        let told = lines.map { line in
            ["operation", "account", "principal"].map { line[$0]?.string ?? "-" }
                .joined(separator: " ").replacing(id, with: "ID")
        }
        #expect(
            told == [
                "createAccount ID admin", "changePassword ID user ID", "deleteSessions ID user ID",
                "createResetCode - admin", "resetPassword ID nobody", "deleteAccount - admin",
            ])
    }
}
