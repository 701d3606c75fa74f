import HoldfastStoreService

/// The claims of a JSON Web Token, signed by its issuer.
package struct WebToken: Sendable {
    /// The id of the user, its `sub`.
    package let user: String
    /// All that it claims.
    package let claims: Claims
    /// When it was issued, in seconds since 1970; the earliest time where it does not say.
    package let issued: Int64
    /// When it ends, in seconds since 1970.
    package let expires: Int64
}
