/// The right of a token, and the grants that end with it. Requests without a token have one too, as long as none is
/// needed.
package struct TokenAccess<Grant: AccessGrant>: Sendable {
    /// The right.
    package var right: Right { token?.terms.right ?? .admin }
    /// For each right up to its own the grant of the requests that need it.
    private var grants: [Grant] = []
    /// The token; nil where none is needed.
    private(set) var token: Token?

    /// Allows what a token does, or everything where none is needed.
    init(_ token: Token?) {
        self.token = token
        raise()
    }

    /// Returns the grant for requests that need a right; nil when they are refused. Cost: a reference.
    package func grant(_ needed: Right) -> Grant? {
        needed.rank < grants.count ? grants[needed.rank] : nil
    }

    /// Allows what the token does now, of which the right alone is another: grants beyond it end, others go on.
    mutating func change(to token: Token) {
        self.token = token
        for grant in grants.dropFirst(right.rank + 1) { grant.end(.lowered) }
        grants.removeLast(max(0, grants.count - right.rank - 1))
        raise()
    }

    /// Ends everything that it has admitted.
    func end() { for grant in grants { grant.end(.revoked) } }

    private mutating func raise() {
        while grants.count <= right.rank { grants.append(Grant(of: token)) }
    }
}
