/// How many of several values have to satisfy a comparison.
package enum Quantifier: UInt8, Sendable {
    /// At least one; what an omitted quantifier means. SOME is the same.
    case any
    /// Every one; true of no values.
    case all
    /// Not one; true of no values.
    case none

    /// The word as Realm's messages have it.
    var name: String {
        switch self {
        case .any: "ANY"
        case .all: "ALL"
        case .none: "NONE"
        }
    }
}
