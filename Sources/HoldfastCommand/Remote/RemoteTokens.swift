import HoldfastJSON
import HoldfastStoreService

/// The tokens of a running service.
struct RemoteTokens {
    private let client: ServiceClient

    init(_ client: ServiceClient) { self.client = client }

    /// Makes a token. Returns its text, which the service tells this once.
    func create(_ members: TokenMembers) throws(CommandFailure) -> String {
        let reply = try client.text("POST", "/v1/tokens", json: members.json)
        let parser = JSONParser()
        guard
            let token = reply.withUnsafeBytes({
                (try? parser.parse($0))?.member(named: "token")?.string
            })
        else { throw CommandFailure("the service does not say which token it has made") }
        return token
    }

    /// The tokens, a line each: name, right, time of creation and, where it has them, user, classes and end.
    func list() throws(CommandFailure) -> String {
        let reply = try client.text("GET", "/v1/tokens")
        let parser = JSONParser()
        let lines = reply.withUnsafeBytes { bytes in
            (try? parser.parse(bytes))?.member(named: "tokens").map { tokens in
                tokens.elements.map { token in
                    func text(_ name: StaticString) -> String? { token.member(named: name)?.string }
                    return Token.line(
                        text("name") ?? "", right: text("right") ?? "",
                        created: text("created") ?? "", user: text("user"),
                        classes: token.member(named: "classes")?.elements.compactMap(\.string)
                            ?? [],
                        expires: text("expires"))
                }.joined()
            }
        }
        guard let lines else {
            throw CommandFailure("the service does not say which tokens it has")
        }
        return lines
    }

    /// Changes a token.
    func change(name: String, _ members: TokenMembers) throws(CommandFailure) {
        _ = try client.text("PATCH", target(name), json: members.json)
    }

    /// Ends a token.
    func revoke(name: String) throws(CommandFailure) { try client.expect("DELETE", target(name)) }

    private func target(_ name: String) -> String { "/v1/tokens/\(TargetQuery.encoded(name))" }
}
