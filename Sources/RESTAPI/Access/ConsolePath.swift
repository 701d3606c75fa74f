import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectModel

/// The path of the console for the operator who starts the service.
package enum ConsolePath {
    /// The beginning of the names of the tokens of links, and of the ones that the console makes from them. 32 hexadecimal digits
    /// follow, so that no operator's own token has such a name by chance.
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
            where isOwn(token.name) && token.terms.hasEnded(at: now) {
                try stored.revoke(token.name)
            }
            _ = try stored.add(makeName(), TokenTerms(.admin, end: end), secret.hash)
        }
        return "/console/#/enter/\(secret.text)"
    }

    private static func makeName() -> String {
        (0..<32).reduce(into: namePrefix) { name, _ in
            name += String(UInt8.random(in: 0..<16), radix: 16)
        }
    }

    /// Whether a token is of a link or of the console, by its name.
    static func isOwn(_ name: String) -> Bool {
        let digits = name.dropFirst(namePrefix.count)
        return name.hasPrefix(namePrefix) && digits.count == 32
            && digits.allSatisfy { "0123456789abcdef".contains($0) }
    }
}
