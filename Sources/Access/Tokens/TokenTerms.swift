import HoldfastObjectModel

/// The terms of a token: what it allows, whom, and how long.
package struct TokenTerms: Sendable, Equatable {
    /// Its right.
    package var right: Right
    /// When it ends; nil for never.
    package var end: Timestamp?
    /// The id of the user that it is of; nil for a token of the store.
    package var user: String?
    /// The claims about the user.
    package var claims: Claims
    /// The only classes that it is for, by their names; empty for all.
    package var classes: [String] = []

    /// Makes terms; of a token of the store that does not end where nothing else is said.
    package init(
        _ right: Right, end: Timestamp? = nil, user: String? = nil, claims: Claims = .none
    ) {
        self.right = right
        self.end = end
        self.user = user
        self.claims = claims
    }

    /// Whether a token whose terms change to these reads the same afterwards, and could read it until now.
    func read(asBefore former: TokenTerms, at now: Timestamp) -> Bool {
        !former.hasEnded(at: now) && claims == former.claims && classes == former.classes
            && (right >= .read) == (former.right >= .read)
    }

    /// Whether the token has ended.
    package func hasEnded(at now: Timestamp) -> Bool { end.map { $0 <= now } ?? false }
}

/// The right of a token; each right includes those before it.
package enum Right: String, Sendable, CaseIterable, Comparable {
    /// Reading metrics.
    case metrics
    /// Reading objects, the schema and changes too.
    case read
    /// Changing objects too.
    case write
    /// Changing the schema too.
    case admin

    package static func < (left: Right, right: Right) -> Bool { left.rank < right.rank }

    /// Its rank among them, from 0.
    var rank: Int {
        switch self {
        case .metrics: 0
        case .read: 1
        case .write: 2
        case .admin: 3
        }
    }
}
