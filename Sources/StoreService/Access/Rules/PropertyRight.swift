/// The right of a role to a property of an object; each right includes those before it.
package enum PropertyRight: String, CaseIterable, Comparable, Sendable {
    /// Nothing: it is not seen.
    case none
    /// Reading it.
    case read
    /// Stating it of an object that is created, too.
    case create
    /// Changing it, too.
    case write

    package static func < (left: PropertyRight, right: PropertyRight) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
