/// What a token allows, and what ends with that. Requests without a token have one too, as long as none is
/// needed.
package struct TokenAccess<Grant: AccessGrant>: Sendable {
    /// What it allows.
    package private(set) var right: Right
    /// For each right up to its own what requests that need it are admitted by.
    private var grants: [Grant] = []
    /// The token's number; 0 for what everybody may.
    private let number: UInt64

    /// Allows a right, and those that it includes.
    ///
    /// - `number`: The token's number.
    init(_ right: Right, of number: UInt64) {
        self.right = right
        self.number = number
        raise(to: right)
    }

    /// What admits a request that needs a right; nil when it is refused. Cost: a reference.
    package func grant(_ needed: Right) -> Grant? {
        needed.rank < grants.count ? grants[needed.rank] : nil
    }

    /// Sets the right: what it does not include any more ends, what it did before goes on.
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
            grants.append(Grant(isForReading: grants.isEmpty, owner: number))
        }
    }
}
