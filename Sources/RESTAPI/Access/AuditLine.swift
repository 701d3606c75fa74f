import HoldfastAccess
import HoldfastHTTPServer
import HoldfastStoreService

/// The line in the log for a change of the schema, projections, tokens, users or accounts: its author, and the request.
struct AuditLine: Sendable {
    private let trail: AuditTrail
    private let operation: String
    private let path: String
    private let principal: String
    private let client: String
    private let requestID: String

    /// Notes the caller of a change before the change: it may change the request's own token.
    ///
    /// - `token`: The token of the request; nil if no token is needed.
    /// - `needsToken`: Whether a token is needed, unless the operation is open to every client.
    init(_ request: Request, by token: Token?, needsToken: Bool, trail: AuditTrail) {
        self.trail = trail
        operation = Operation.all[request.routeNumber].id
        path = request.loggedPath.string
        principal =
            token?.name ?? request.user?.principal.user.map { "user \($0)" }
            ?? (needsToken && request.grant == nil ? "nobody" : "everybody")
        client = request.client
        requestID = request.id
    }

    /// Writes the line, when the change is durable.
    ///
    /// - `token`: The name of the token that was made, which no path says.
    /// - `account`: The id of the account that was changed, where no path says it.
    func write(token: String? = nil, account: String? = nil) {
        var fields: [(name: StaticString, text: String)] = [
            ("operation", operation), ("path", path), ("principal", principal),
            ("client", client), ("requestId", requestID),
        ]
        if let account { fields.append(("account", account)) }
        if let token { fields.append(("token", token)) }
        trail.write(fields)
    }

    /// Writes that of a command which an operator has left in the store's folder, if it changes something.
    static func write(_ command: TokenCommand, to trail: AuditTrail) {
        let (operation, token): (String, String)
        switch command {
        case .list: return
        case .create(let members, _): (operation, token) = ("createToken", members.name ?? "")
        case .change(let name, _): (operation, token) = ("patchToken", name)
        case .revoke(let name): (operation, token) = ("deleteToken", name)
        }
        write(operation, token: token, to: trail)
    }

    /// Writes the line of a change that the operator made by starting the service or by a command.
    static func write(_ operation: String, token: String, to trail: AuditTrail) {
        trail.write([("operation", operation), ("token", token), ("principal", "operator")])
    }
}
