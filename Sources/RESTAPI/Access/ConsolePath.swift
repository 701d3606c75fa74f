import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectModel

/// The path of the console for the operator who starts the service.
///
/// If requests need a token, the path has a link's token. It makes one other token by `POST /v1/tokens` and ends with that, so that
/// the link signs in once. Besides it only reads metrics.
package enum ConsolePath {
    /// The beginnings of the names of links' tokens, and of the ones that the console makes with them. 32 hexadecimal digits follow,
    /// so that no operator's own token has such a name by chance.
    private static let linkPrefix = "console-link-"
    private static let consolePrefix = "console-"
    /// How long an unused link signs in, in seconds.
    private static let lifetimeSeconds: Int64 = 3600

    /// Makes the path.
    static func make(_ tokens: AccessTokens, _ trail: AuditTrail) throws(RequestFault) -> String {
        guard tokens.isEnforced else { return "/console/" }
        let secret = try TokenSecret()
        let name = (0..<32).reduce(into: linkPrefix) { name, _ in
            name += String(UInt8.random(in: 0..<16), radix: 16)
        }
        let end = Timestamp(seconds: Timestamp.now().seconds + lifetimeSeconds, nanoseconds: 0)
        try tokens.change { stored throws(RequestFault) in
            _ = try stored.add(name, TokenTerms(.metrics, end: end), secret.hash)
        }
        AuditLine.write("createToken", token: name, to: trail)
        return "/console/#/enter/\(secret.text)"
    }

    /// Removes the tokens of former links, and of former consoles that have expired.
    static func removePast(_ tokens: AccessTokens, _ trail: AuditTrail) throws(RequestFault) {
        let now = Timestamp.now()
        let past = try tokens.change { stored throws(RequestFault) in
            let names = try stored.read().tokens.filter {
                isLink($0) || isOf(consolePrefix, $0) && $0.terms.hasEnded(at: now)
            }.map(\.name)
            for name in names { try stored.revoke(name) }
            return names
        }
        for name in past { AuditLine.write("deleteToken", token: name, to: trail) }
    }

    /// Whether a token is a link's, by its name.
    static func isLink(_ token: Token) -> Bool { isOf(linkPrefix, token) }

    private static func isOf(_ prefix: String, _ token: Token) -> Bool {
        let digits = token.name.dropFirst(prefix.count)
        return token.name.hasPrefix(prefix) && digits.count == 32
            && digits.allSatisfy { "0123456789abcdef".contains($0) }
    }
}

extension RESTService {
    /// Removes what former starts have left of links to the console.
    package func removePastConsoleLinks() throws(RequestFault) {
        if let tokens { try ConsolePath.removePast(tokens, auditTrail) }
    }

    /// Makes the path of the console for the operator.
    package func makeConsolePath() throws(RequestFault) -> String {
        try tokens.map { tokens throws(RequestFault) in
            try ConsolePath.make(tokens, auditTrail)
        } ?? "/console/"
    }
}
