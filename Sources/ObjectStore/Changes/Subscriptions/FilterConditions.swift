import HoldfastQuery

/// The conditions that a filter is found by, made ready for the index of subscriptions by who makes the query, so that
/// the feed's thread enters a filter of any number of terms in the same time.
final class FilterConditions: @unchecked Sendable {
    // Unchecked: `tables` do not change once they are made.

    /// Conditions on values, of which one holds of every match; nil where none are known.
    let anchors: [Anchor]?
    /// The values that the conditions are on, which decide about the filter; nil where none are known.
    let valuePlaces: Set<ValuePlace>?
    /// The conditions of a filter that has many; nil where they are entered beside those of others.
    let tables: [ValuePlace: ConditionIndex]?

    /// Conditions that are entered one by one.
    private static let sharedCountMax = 64

    init(_ anchors: [Anchor]?) {
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
        var tables: [ValuePlace: ConditionIndex] = [:]
        for anchor in anchors {
            let table = tables[anchor.place] ?? ConditionIndex()
            tables[anchor.place] = table
            table.add(anchor.condition, 0)
        }
        self.tables = tables
    }
}
