import Glibc
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastObjectJSON
import HoldfastStoreService
import Synchronization

/// The users who come with JSON Web Tokens. Thread-safe.
///
/// A token is verified when it comes for the first time, and then found by its hash, as long as it has not ended and the issuer's
/// keys are the same.
package final class SignedInUsers: Sendable {
    private let tokens: WebTokens
    /// Makes numbers of users.
    private let key: [UInt8]
    private let seen = Mutex(SeenTokens(byteCountMax: 16 << 20))

    /// The users of an issuer.
    ///
    /// - `key`: A secret of the store: a user's number is theirs in every process, and nobody can choose one.
    package init(_ tokens: WebTokens, key: [UInt8]) {
        self.tokens = tokens
        self.key = key
    }

    /// Returns the grant of a token. Cost: a hash of it when it was seen before, else a verification.
    ///
    /// - Throws: ``RequestFault`` as ``WebTokens/verified(_:at:)``.
    func grant(_ token: UnsafeRawBufferPointer) throws(RequestFault) -> Grant {
        guard let hash = TokenHash(of: token) else { throw Self.failed }
        let revision = tokens.keys.revision
        if let grant = seen.withLock({ $0.grant(of: hash, under: revision) }),
            grant.ending == nil
        {
            return grant
        }
        let now = Int64(time(nil))
        let (verified, keyRevision) = try tokens.verified(token, at: now)
        guard let owner = Principal(user: verified.user).number(key) else { throw Self.failed }
        // What it has begun ends with the token; the leeway is for requests that come later.
        let end =
            verified.expires > now ? verified.expires : verified.expires + WebTokens.leewaySeconds
        let user = SignedInUser(
            id: verified.user, claims: verified.claims, expires: verified.expires)
        let grant = Grant(isForReading: true, owner: owner, until: end, bearer: user)
        seen.withLock {
            $0.add(
                grant, of: hash, under: keyRevision, byteCount: verified.claims.text.utf8.count)
        }
        return grant
    }

    /// Ends what users have begun, because other rules hold for them. Their tokens go on.
    func endWork() { seen.withLock { $0.endAll() } }

    /// Ends what works for it by itself.
    func stop() { tokens.keys.stop() }

    private static let failed = RequestFault(
        .failed, "internal-error", "The token could not be hashed.")
}
