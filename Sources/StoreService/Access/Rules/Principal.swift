import HoldfastObjectModel
import Synchronization

/// The principal of a request, as far as rules go: a user with their claims, a token of some classes, or an anonymous visitor. Immutable; any
/// thread may use it.
package final class Principal: Sendable {
    /// The id of the user; nil for an anonymous visitor.
    package let user: String?
    /// The claims about the user.
    package let claims: Claims
    /// The only classes that they come for, by their names; empty for all.
    package let classes: Set<ExactText>
    /// The token whose right decides what they may do with these, and not a document; nil where that does.
    package let token: TokenRight?
    /// The version at which the token's terms last changed what the principal may read; 0 if they never did.
    let accessVersion: UInt64
    /// The number of the user once it was asked for, 0 before.
    let knownNumber = Atomic<UInt64>(0)
    /// The claims once rules have asked for one.
    private let knownClaims = Mutex<ClaimTree?>(nil)

    /// A right by the token that has it.
    package struct TokenRight: Sendable, Hashable {
        let number: UInt64
        let right: Right
    }

    /// Names a user.
    ///
    /// - Parameters:
    ///   - user: The id; nil for an anonymous visitor.
    ///   - claims: The claims about the user.
    ///   - classes: The only classes that they come for; empty for all.
    ///   - accessVersion: The version at which the terms of a token of the store last changed what they may read.
    package init(
        user: String?, claims: Claims = .none, classes: [String] = [], accessVersion: UInt64 = 0
    ) {
        self.user = user
        self.claims = claims
        self.classes = Set(texts: classes)
        self.accessVersion = accessVersion
        token = nil
    }

    /// Names a token of some classes, whose right holds with these.
    package init(token number: UInt64, _ right: Right, classes: [String], accessVersion: UInt64) {
        (user, claims) = (nil, .none)
        self.classes = Set(texts: classes)
        self.accessVersion = accessVersion
        token = TokenRight(number: number, right: right)
    }

    /// The anonymous visitor: a request without a token, where there is an access document.
    package static let nobody = Principal(user: nil)

    /// The claims about the user, as values. Cost: linear in the claims the first time.
    var claimTree: ClaimTree {
        knownClaims.withLock { known in
            if let known { return known }
            let tree = ClaimTree(claims)
            known = tree
            return tree
        }
    }
}
