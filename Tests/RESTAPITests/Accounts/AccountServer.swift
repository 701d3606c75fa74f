import HoldfastHTTPServer
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// A service with tokens, and requests that concern accounts.
struct AccountServer {
    let server: GuardedServer
    static let password = "correct horse battery"

    init(logger: Logger = Logger(level: .error)) throws {
        server = try GuardedServer(withTokens: true, logger: logger)
    }

    /// Sends a request with JSON, or without a body.
    func send(
        _ method: String, _ target: String, _ body: String? = nil, as bearer: String? = nil
    ) -> HTTPClient.Reply {
        server.send(
            method, target,
            (bearer.map { [("Authorization", "Bearer \($0)")] } ?? [])
                + (body == nil ? [] : [("Content-Type", "application/json")]), body: body)
    }

    var admin: String? { server.tokens[.admin] }

    /// The body that states a login and a password.
    static func body(_ login: String, _ password: String = password) -> String {
        #"{"login":"\#(login)","password":"\#(password)"}"#
    }

    /// Makes an account and returns its id.
    func makeAccount(_ login: String) throws -> String {
        let made = send("POST", "/v1/accounts", Self.body(login), as: admin)
        #expect(made.status == 201, "\(made.text)")
        return try #require(QueryJSON(made.text)?["id"]?.string)
    }

    /// Signs in and returns the session's token.
    func signIn(_ login: String, _ password: String = password) throws -> String {
        let reply = send("POST", "/v1/sessions", Self.body(login, password))
        #expect(reply.status == 201, "\(reply.text)")
        return try #require(QueryJSON(reply.text)?["token"]?.string)
    }

    /// The status of a request that says who asks.
    func status(_ session: String) -> Int { send("GET", "/v1/me", as: session).status }

    /// Lets anybody make an account.
    func openSignUp() {
        let reply = send("PUT", "/v1/access", #"{"signUp":true,"roles":{}}"#, as: admin)
        #expect(reply.status == 200, "\(reply.text)")
    }
}
