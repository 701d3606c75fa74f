import HoldfastQuery

/// The conditions by which a filter is found. The maker of the query prepares them for the index of subscriptions, so that the
/// feed's thread adds a filter of any number of terms in the same time.
final class FilterConditions: @unchecked Sendable {
    // Unchecked: `tables` do not change after they are made.

    /// Conditions on values. Every match satisfies one of them. Nil if no conditions are known.
    let anchors: [IndexCondition]?
    /// The places of the conditions' values, which decide about the filter; nil if no conditions are known.
    let valuePlaces: Set<IndexedPath>?
    /// The conditions of a filter with many; nil if they are added together with the conditions of other filters.
    let tables: [IndexedPath: ConditionIndex]?

    /// The maximum number of conditions that are added one by one.
    private static let sharedCountMax = 64

    init(_ anchors: [IndexCondition]?) {
        self.anchors = anchors
        valuePlaces = anchors.map { Set($0.map(\.place)) }
        let count = (anchors ?? []).reduce(0) { count, anchor in
            if case .ranges(let ranges) = anchor.condition {
                count + ranges.count
            } else {
                count + 1
            }
        }
        guard let anchors, count > Self.sharedCountMax else {
            tables = nil
            return
        }
        var tables: [IndexedPath: ConditionIndex] = [:]
        for anchor in anchors {
            let table = tables[anchor.place] ?? ConditionIndex()
            tables[anchor.place] = table
            table.add(anchor.condition, 0)
        }
        self.tables = tables
    }
}
