import HoldfastHTTPServer
import HoldfastStoreService

/// A user whom a token of an issuer names: the bearer of a grant.
struct SignedInUser: Sendable {
    /// Their id.
    let id: String
    /// What is claimed of them.
    let claims: Claims
    /// When the token ends, in seconds since 1970.
    let expires: Int64
}

extension Request {
    /// The user who asks; nil for a token of the store, and where none is needed.
    var user: SignedInUser? { grant?.bearer as? SignedInUser }
}
