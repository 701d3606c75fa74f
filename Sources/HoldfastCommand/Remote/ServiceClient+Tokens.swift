import HoldfastJSON
import HoldfastRESTAPI
import HoldfastStoreService

// The tokens of a running service.
extension ServiceClient {
    /// Carries out a command. Returns what to show: of a new token its text, which the service tells this once.
    func run(_ command: TokenCommand) throws(CommandFailure) -> String {
        switch command {
        case .list: return try listTokens()
        case .create(let members, _):
            return try Self.find(
                "which token it has made", in: text("POST", "/v1/tokens", json: members.json)
            ) { $0.member(named: "token")?.string }
        case .change(let name, let members):
            try text("PATCH", tokenTarget(name), json: members.json)
        case .revoke(let name): try text("DELETE", tokenTarget(name))
        }
        return ""
    }

    /// The tokens, a line each: name, right, time of creation and, where it has them, user, classes and end.
    private func listTokens() throws(CommandFailure) -> String {
        try Self.find("which tokens it has", in: text("GET", "/v1/tokens")) {
            $0.member(named: "tokens").map { tokens in
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
    }

    private func tokenTarget(_ name: String) -> String { "/v1/tokens/\(ObjectPath.segment(name))" }
}
