import Synchronization

/// Who a request works for, as far as rules go: a user with what is claimed of them, or nobody. Immutable; any thread may use it.
package final class Principal: Sendable, Hashable {
    /// The id of the user; nil for nobody.
    package let user: String?
    /// What is claimed of the user.
    package let claims: Claims
    /// The number once it was asked for, 0 before.
    let knownNumber = Atomic<UInt64>(0)

    /// Names a user.
    package init(user: String?, claims: Claims = .none) {
        self.user = user
        self.claims = claims
    }

    /// Nobody: a request without a token, where there is an access document.
    package static let nobody = Principal(user: nil)

    /// Whether both are one user of whom the same is claimed.
    package static func == (a: Principal, b: Principal) -> Bool {
        a === b || a.user == b.user && a.claims == b.claims
    }

    /// Hashes the user and what is claimed of them.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(user)
        hasher.combine(claims)
    }
}
