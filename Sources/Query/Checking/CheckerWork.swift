import HoldfastGeometry
import HoldfastRows

/// The budget of a check, and what the checkers of one text share: those of its subqueries as well. One thread uses it.
final class CheckerWork {
    let budget: Budget
    /// The regions of arguments, by number. A text may name one as often as it likes.
    var regions: [Int: GeoRegion] = [:]

    /// What compiling the regular expressions takes, see ``TextPattern/effort(of:ignoresCase:)``.
    var patternEffort = 0

    init(within budget: Budget = Budget()) { self.budget = budget }

    /// Counts the values of a list, at each place where it stands, as what the query keeps.
    func keep(valueCount: Int) -> Bool {
        budget.keep(valueCount * QueryArgument.byteCountOfValue)
    }
}
