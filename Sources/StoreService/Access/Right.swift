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
