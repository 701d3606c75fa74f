import HoldfastObjectModel

/// An aggregate as a client states it beside the query, before it is checked.
package struct AggregateText: Hashable, Sendable {
    /// `op`: the operations on all objects, or on each group; nil for the count.
    @Exact package var operations: String?
    /// `by`: the common values of a group's objects; nil without groups.
    @Exact package var by: String?
    /// `having`: the condition on the results of a group.
    @Exact package var having: String?
    /// `order`: which groups come first.
    @Exact package var order: String?
    /// `tz`: in which zone parts of dates are read; nil for UTC.
    @Exact package var timeZone: String?

    package init(
        operations: String? = nil, by: String? = nil, having: String? = nil, order: String? = nil,
        timeZone: String? = nil
    ) {
        _operations = Exact(operations)
        _by = Exact(by)
        _having = Exact(having)
        _order = Exact(order)
        _timeZone = Exact(timeZone)
    }

    /// Its parts with their names in a request.
    var parts: [(name: String, text: String?)] {
        [("op", operations), ("by", by), ("having", having), ("order", order), ("tz", timeZone)]
    }
}
