import Glibc
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastStoreService
import Synchronization

/// The users who come with JSON Web Tokens, or with sessions of accounts. Thread-safe.
///
/// A token is verified when it comes for the first time, and then found by its hash, as long as it has not ended and the issuer's
/// keys are the same.
package final class SignedInUsers: Sendable {
    /// The issuer's tokens; nil where no issuer is named.
    private let tokens: WebTokens?
    /// The sessions of accounts.
    let sessions: AccountSessions
    /// Makes numbers of users.
    private let key: [UInt8]
    private let horizons: Mutex<UserHorizons>
    /// Held while a change of a user is stored.
    private let changing = Mutex(())
    private let seen = Mutex(SeenTokens(byteCountMax: 16 << 20))

    /// The users of an issuer and of accounts.
    ///
    /// - Parameters:
    ///   - tokens: The issuer's tokens; nil where no issuer is named.
    ///   - accounts: The accounts.
    ///   - key: A secret of the store: a user's number is theirs in every process, and cannot be chosen.
    ///   - barred: The users whom the store bars.
    package init(
        _ tokens: WebTokens?, accounts: StoredAccounts, key: [UInt8], barred: [UserAccess]
    ) {
        self.tokens = tokens
        sessions = AccountSessions(accounts)
        // Who has no number for want of memory can't sign in either.
        horizons = Mutex(
            UserHorizons(
                barred.compactMap { user in
                    Principal(user: user.id).number(key).map { ($0, user) }
                }))
        self.key = key
    }

    /// Whether an issuer is named, so that each request needs a token.
    var hasIssuer: Bool { tokens != nil }

    /// Returns the grant of a token; nil for what is no token of a user. Cost: a hash of it when it
    /// was seen before, else a verification, or a look into the store.
    ///
    /// - Throws: ``RequestFault`` as ``WebTokens/verified(_:at:)``, and for a session that has ended.
    func grant(_ token: UnsafeRawBufferPointer) throws(RequestFault) -> Grant? {
        if token.starts(with: AccountSecret.Kind.session.prefix) {
            return try sessions.grant(token) { session, hash throws(RequestFault) in
                try self.grant(of: session, hash)
            }
        }
        if token.starts(with: TokenSecret.prefix) { return nil }
        return try tokens.map { tokens throws(RequestFault) in try grant(token, tokens) }
    }

    /// The grant of a session that asks for the first time.
    private func grant(of session: Session, _ hash: TokenHash) throws(RequestFault) -> Grant {
        let principal = Principal(user: session.account.id.description)
        guard let owner = principal.number(key) else { throw Self.failed }
        let horizon = horizons.withLock { $0.horizon(of: owner) }
        let user = SignedInUser(
            principal: principal, expires: nil,
            session: SignedInSession(account: session.account, hash: hash))
        let grant = Grant(
            owner: owner, until: session.end, issued: session.began, horizon: horizon,
            bearer: user)
        guard grant.ending == nil else { throw Self.barred }
        return grant
    }

    private func grant(
        _ token: UnsafeRawBufferPointer, _ tokens: WebTokens
    ) throws(RequestFault) -> Grant {
        guard let hash = TokenHash(of: token) else { throw Self.failed }
        let revision = tokens.keys.revision
        if let grant = seen.withLock({ $0.grant(of: hash, under: revision) }), grant.ending == nil {
            return grant
        }
        let now = Int64(time(nil))
        let (verified, keyRevision) = try tokens.verified(token, at: now)
        let principal = Principal(user: verified.user, claims: verified.claims)
        guard let owner = principal.number(key) else { throw Self.failed }
        // What it has begun ends with the token; the leeway is for requests that come later.
        let end =
            verified.expires > now ? verified.expires : verified.expires + WebTokens.leewaySeconds
        let user = SignedInUser(
            principal: principal, expires: verified.expires, session: nil)
        let horizon = horizons.withLock { $0.horizon(of: owner) }
        let grant = Grant(
            owner: owner, until: end, issued: verified.issued, horizon: horizon, bearer: user)
        guard grant.ending == nil else { throw Self.barred }
        // Claims that a rule has asked for take some times as much, parsed.
        let byteCount = 4 * verified.claims.text.utf8.count
        seen.withLock { $0.add(grant, of: hash, under: keyRevision, byteCount: byteCount) }
        return grant
    }

    /// Lets a user in, or ends what they have begun with what is void now, once that is stored.
    ///
    /// - `store`: Stores it, and waits until it is durable. One change at a time, so that what is stored last holds.
    func set(
        _ user: UserAccess, storing store: () throws(RequestFault) -> Void
    ) throws(RequestFault) {
        guard let number = Principal(user: user.id).number(key) else { throw Self.failed }
        try changing.withLock { _ throws(RequestFault) in
            try store()
            horizons.withLock { $0.set(user, number) }
        }
    }

    /// Whether a present sign-in of a user would be void.
    func isBarred(_ id: String) -> Bool {
        guard let number = Principal(user: id).number(key) else { return true }
        return horizons.withLock { $0.horizon(of: number) }.isBehind(Int64(time(nil)))
    }

    /// Ends what works for it by itself.
    func stop() { tokens?.keys.stop() }

    private static let barred = RequestFault(
        .unauthenticated, "token-invalid",
        "The user is blocked, or was signed out after the token was issued.")

    private static let failed = RequestFault(
        .failed, "internal-error", "The token could not be hashed.")
}
