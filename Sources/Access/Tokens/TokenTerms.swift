import HoldfastObjectModel

/// The terms of a token: its right, its user and classes, and its expiry.
package struct TokenTerms: Sendable, Equatable {
    package var right: Right
    /// The expiry; nil for a token that never expires.
    package var end: Timestamp?
    /// The id of the user that the token belongs to; nil for a token of the store.
    package var user: String?
    /// The claims about the user.
    package var claims: Claims
    /// The only classes that the token may use, by name; empty for all.
    package var classes: [String] = []

    /// Makes terms; by default of a token of the store that never expires.
    package init(
        _ right: Right, end: Timestamp? = nil, user: String? = nil, claims: Claims = .none
    ) {
        self.right = right
        self.end = end
        self.user = user
        self.claims = claims
    }

    /// Whether a token can read the same with these terms as with its former ones, which have not expired.
    func read(asBefore former: TokenTerms, at now: Timestamp) -> Bool {
        !former.hasEnded(at: now) && claims == former.claims && classes == former.classes
            && (right >= .read) == (former.right >= .read)
    }

    package func hasEnded(at now: Timestamp) -> Bool { end.map { $0 <= now } ?? false }
}

/// A token's right. Each right includes the ones before it.
package enum Right: String, Sendable, CaseIterable, Comparable {
    /// Reading metrics.
    case metrics
    /// Also reading objects, the schema and changes.
    case read
    /// Also changing objects.
    case write
    /// Also changing the schema.
    case admin

    package static func < (left: Right, right: Right) -> Bool { left.rank < right.rank }

    /// The rank of the right, from 0.
    var rank: Int {
        switch self {
        case .metrics: 0
        case .read: 1
        case .write: 2
        case .admin: 3
        }
    }
}
