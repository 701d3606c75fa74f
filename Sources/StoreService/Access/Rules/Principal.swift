/// Who a request works for, as far as rules go: a user with what is claimed of them, or nobody.
package struct Principal: Sendable, Hashable {
    /// The id of the user; nil for nobody.
    package let user: String?
    /// What is claimed of the user.
    package let claims: Claims

    /// Names a user.
    package init(user: String?, claims: Claims = .none) {
        self.user = user
        self.claims = claims
    }

    /// Nobody: a request without a token, where there is an access document.
    package static let nobody = Principal(user: nil)
}
