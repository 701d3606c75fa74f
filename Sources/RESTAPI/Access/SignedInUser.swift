import HoldfastHTTPServer
import HoldfastStoreService

/// A user whom a token of an issuer names, or who has signed in with an account: the bearer of a grant.
final class SignedInUser: Sendable {
    /// The principal.
    let principal: Principal
    /// When the token ends, in seconds since 1970; nil for a session, which ends with its grant.
    let expires: Int64?
    /// The session; nil for a token of an issuer.
    let session: SignedInSession?

    init(principal: Principal, expires: Int64?, session: SignedInSession?) {
        self.principal = principal
        self.expires = expires
        self.session = session
    }
}

/// The session of a user who has signed in with an account.
struct SignedInSession: Sendable {
    /// The account, whose id is the user's.
    let account: Account
    /// The hash of the session's token.
    let hash: TokenHash
}

extension Request {
    /// The user who asks; nil for a token of the store, and where none is needed.
    var user: SignedInUser? { grant?.bearer as? SignedInUser }
}
