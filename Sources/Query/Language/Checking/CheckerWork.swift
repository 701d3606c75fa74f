import HoldfastGeometry
import HoldfastRows

/// The budget of a check, and the state that the checkers of one text share, including the checkers of its subqueries. One thread uses it.
final class CheckerWork {
    let budget: Budget
    /// The regions of arguments, by number. A text may name the same argument any number of times.
    var regions: [Int: GeoRegion] = [:]

    /// The effort of compiling the regular expressions, see ``TextPattern/effort(of:ignoresCase:)``.
    var patternEffort = 0

    init(within budget: Budget = Budget()) { self.budget = budget }

    /// Counts the values of a list as memory that the query keeps, at each place where the list stands.
    func keep(valueCount: Int) -> Bool {
        budget.keep(valueCount * QueryArgument.byteCountOfValue)
    }
}
