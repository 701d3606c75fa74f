import Query

/// What it costs to test a row of a scan for a condition, without what that leads to behind links, see
/// ``QueryCost``.
struct RowCost {
    private(set) var tested = QueryCost.scannedRow

    init(_ predicate: Predicate?) {
        if let predicate { add(predicate) }
    }

    private mutating func add(_ predicate: Predicate) {
        switch predicate {
        case .constant: return
        case .not(let part): add(part)
        case .and(let parts), .or(let parts): for part in parts { add(part) }
        case .within: tested += QueryCost.region
        case .comparison(let comparison):
            switch comparison.comparison {
            case .matches, .text: tested += QueryCost.textTest
            default: return
            }
        }
    }
}
