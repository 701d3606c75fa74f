import Query

/// What a row of a scan costs with a condition's regions, see ``QueryCost``. What comparisons read behind links is
/// learned while they are tested.
struct RowCost {
    /// The row, and to test its points.
    private(set) var tested = QueryCost.scannedRow
    /// To follow links to points.
    private var followed = 0

    /// What the row and all that is read beside it cost.
    var whole: Int { tested + followed }

    init(_ predicate: Predicate?) {
        if let predicate { add(predicate) }
    }

    private mutating func add(_ predicate: Predicate) {
        switch predicate {
        case .constant, .comparison: return
        case .not(let part): add(part)
        case .and(let parts), .or(let parts): for part in parts { add(part) }
        case .within(let condition):
            tested += QueryCost.region
            followed += QueryCost.followed * condition.path.steps.count
        }
    }
}
