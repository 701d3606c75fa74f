import HoldfastRows

/// The share of several values that has to satisfy a comparison. Raw values are the words in Realm's messages.
package enum Quantifier: String, Sendable {
    /// At least one; also the meaning of an omitted quantifier. SOME is the same.
    case any = "ANY"
    /// Every one; true of no values.
    case all = "ALL"
    /// Not one; true of no values.
    case none = "NONE"

    /// Whether so many of some values satisfy a condition.
    @inline(__always)
    func holds<Values: Sequence>(of values: Values, _ test: (Values.Element) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }

    /// Whether so many of some values satisfy a condition, as far as the budget lasts: a step for each value.
    @inline(__always)
    func holds<Values: Sequence>(
        of values: Values, within budget: Budget, _ test: (Values.Element) -> Bool
    ) -> Bool {
        // The value at which the budget fails is the last: it decides for every quantifier.
        let deciding = self != .all
        return holds(of: values) { budget.spend() ? test($0) : deciding }
    }
}
