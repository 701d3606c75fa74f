import HoldfastRows
import HoldfastText

/// A relation made ready for values of which neither is a constant, or that may be of several kinds.
struct ValueRelation {
    let comparison: ComparisonOperator
    private let ignoresCase: Bool
    /// Fold the texts of either side where accents do not count.
    private let left: TextFolder?
    private let right: TextFolder?

    init(_ relation: Relation) {
        comparison = relation.comparison
        ignoresCase = relation.ignoresCase
        left = TextFolder(relation)
        right = TextFolder(relation)
    }

    /// Whether `a ⋈ b` holds, with the rules for null.
    ///
    /// - `budget`: For texts of which one is a pattern for the other; false where it fails.
    func holds(_ a: ComparedValue, _ b: ComparedValue, within budget: Budget? = nil) -> Bool {
        guard let x = a.storage, let y = b.storage else {
            let areBothNull = a.storage == nil && b.storage == nil
            switch comparison {
            case .equal, .lessEqual, .greaterEqual, .like: return areBothNull
            case .notEqual: return !areBothNull
            case .less, .greater, .matches, .text: return false
            case .beginsWith, .endsWith, .contains: return b.storage == nil
            }
        }
        if x == y, x == .string || x == .data {
            guard let left, let right else {
                return TextMatch.holds(
                    a.bytes, comparison, b.bytes, ignoresCase: ignoresCase, within: budget)
            }
            return TextMatch.holds(
                left.fold(a.bytes), comparison, right.fold(b.bytes), ignoresCase: false,
                within: budget)
        }
        guard let order = ComparedValue.order(a, b) else { return comparison == .notEqual }
        return comparison.holds(ofOrder: order)
    }
}
