/// The right of a token; each right includes those before it.
package enum Right: String, Sendable, CaseIterable, Comparable {
    /// Reading objects, the schema, changes and metrics.
    case read
    /// Changing objects too.
    case write
    /// Changing the schema too.
    case admin

    package static func < (left: Right, right: Right) -> Bool { left.rank < right.rank }

    /// Its rank among them, from 0.
    var rank: Int {
        switch self {
        case .read: 0
        case .write: 1
        case .admin: 2
        }
    }
}
