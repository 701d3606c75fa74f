import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectModel

/// The path of the console for the operator who starts the service.
package enum ConsolePath {
    /// The names of the tokens of links, and of the ones that the console makes from them.
    private static let namePrefix = "console-"
    /// How long an unused link signs in, in seconds.
    private static let lifetimeSeconds: Int64 = 3600

    /// Makes the path.
    ///
    /// If requests need a token, it has one of an administrator. The console makes a token of its own with it and revokes it, so
    /// that the link signs in once. Tokens of former links that have expired are removed.
    package static func make(_ tokens: AccessTokens) throws(RequestFault) -> String {
        guard tokens.isEnforced else { return "/console/" }
        let secret = try TokenSecret()
        let now = Timestamp.now()
        let end = Timestamp(seconds: now.seconds + lifetimeSeconds, nanoseconds: 0)
        try tokens.change { stored throws(RequestFault) in
            for token in try stored.read().tokens
            where token.name.hasPrefix(namePrefix) && token.terms.hasEnded(at: now) {
                try stored.revoke(token.name)
            }
            let number = String(UInt64.random(in: .min ... .max), radix: 36)
            _ = try stored.add(namePrefix + number, TokenTerms(.admin, end: end), secret.hash)
        }
        return "/console/#/enter/\(secret.text)"
    }
}
