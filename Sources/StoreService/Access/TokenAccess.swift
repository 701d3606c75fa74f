/// The right of a token, and the grants that end with it. Requests without a token have one too, as long as none is
/// needed.
package struct TokenAccess<Grant: AccessGrant>: Sendable {
    /// The right.
    package private(set) var right: Right
    /// For each right up to its own the grant of the requests that need it.
    private var grants: [Grant] = []
    /// The token's number; 0 where no token is needed.
    private let number: UInt64
    private let isOfUser: Bool

    /// Allows a right, and those that it includes.
    ///
    /// - `number`: The token's number.
    /// - `isOfUser`: Whether it is a user's.
    init(_ right: Right, of number: UInt64, isOfUser: Bool = false) {
        self.right = right
        self.number = number
        self.isOfUser = isOfUser
        raise(to: right)
    }

    /// Allows what a token does.
    init(_ token: Token) {
        self.init(token.terms.right, of: token.number, isOfUser: token.terms.user != nil)
    }

    /// Returns the grant for requests that need a right; nil when they are refused. Cost: a reference.
    package func grant(_ needed: Right) -> Grant? {
        needed.rank < grants.count ? grants[needed.rank] : nil
    }

    /// Sets the right: grants beyond it end, others go on.
    mutating func change(to right: Right) {
        for grant in grants.dropFirst(right.rank + 1) { grant.end(.lowered) }
        grants.removeLast(max(0, grants.count - right.rank - 1))
        raise(to: right)
        self.right = right
    }

    /// Ends everything that it has admitted.
    func end() { for grant in grants { grant.end(.revoked) } }

    private mutating func raise(to right: Right) {
        while grants.count <= right.rank {
            let next = Right.allCases[grants.count]
            grants.append(
                Grant(
                    isForReading: next <= .read, owner: number, isUnderRules: isOfUser))
        }
    }
}
