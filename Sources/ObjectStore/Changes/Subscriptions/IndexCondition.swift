import HoldfastQuery
import HoldfastRows

/// A condition on one value of an object that every match of a filter satisfies. The filter's followers are found by the value.
package struct IndexCondition: Hashable, Sendable {
    /// The condition on the value.
    package enum Condition: Hashable, Sendable {
        /// The value's key lies in one of these ranges.
        case ranges([OrderedKeyRange])
        /// The value is a string that contains this text of ASCII characters, ignoring case.
        case text([UInt8])
    }

    package let place: IndexedPath
    package let condition: Condition

    /// The maximum depth of nested ANDs and ORs that are examined.
    private static let depthMax = 4

    /// A rank by the likely number of objects that it lets through: less is better.
    private var rank: Int {
        switch condition {
        case .ranges(let ranges) where ranges.allSatisfy(\.isSingleValue): place.steps.count
        case .text: 100 + place.steps.count
        case .ranges: 200 + place.steps.count
        }
    }

    /// The anchors of a filter. Every match satisfies one of them. Empty if nothing matches; nil if no anchors are known.
    ///
    /// Cost: the cost of the predicate's constraints, for each examined level of ORs and ANDs.
    static func anchors(
        of predicate: Predicate, _ schema: RowSchema, within budget: Budget, depth: Int = 0
    ) -> [IndexCondition]? {
        guard depth == 0 || budget.checkLimits() else { return nil }
        var best: (anchors: [IndexCondition], rank: Int)?
        func offer(_ anchors: [IndexCondition]) {
            let rank = anchors.map(\.rank).max() ?? -1
            if best.map({ rank < $0.rank }) ?? true { best = (anchors, rank) }
        }
        for constraint in predicate.constraints {
            offer(
                constraint.ranges.isEmpty
                    ? []
                    : [
                        IndexCondition(
                            place: IndexedPath(steps: [], member: constraint.member),
                            condition: .ranges(constraint.ranges))
                    ])
        }
        for part in predicate.conjuncts {
            switch part {
            case .constant(false): offer([])
            case .comparison(let comparison):
                if let (place, ranges) = comparison.placedRanges(schema) {
                    offer([IndexCondition(place: place, condition: .ranges(ranges))])
                }
                if let (place, text) = comparison.placedText {
                    offer([IndexCondition(place: place, condition: .text(text))])
                }
            case .or(let branches) where depth < depthMax:
                let found = branches.map {
                    anchors(of: $0, schema, within: budget, depth: depth + 1)
                }
                if found.allSatisfy({ $0 != nil }) { offer(found.flatMap { $0 ?? [] }) }
            case .constant, .and, .or, .not, .within: break
            }
        }
        return best?.anchors
    }
}
