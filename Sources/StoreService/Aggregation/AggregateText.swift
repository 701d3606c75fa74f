/// An aggregate as a client states it beside the query, before it is checked.
package struct AggregateText: Hashable, Sendable {
    /// `op`: what is asked of all objects, or of each group; nil for the count.
    package var operations: String?
    /// `by`: what the objects of a group have in common; nil for no groups.
    package var by: String?
    /// `having`: what the results of a group satisfy.
    package var having: String?
    /// `order`: which groups come first.
    package var order: String?
    /// `tz`: in which zone parts of dates are read; nil for UTC.
    package var timeZone: String?

    /// Makes an aggregate.
    package init(
        operations: String? = nil, by: String? = nil, having: String? = nil, order: String? = nil,
        timeZone: String? = nil
    ) {
        self.operations = operations
        self.by = by
        self.having = having
        self.order = order
        self.timeZone = timeZone
    }

    /// Its parts with their names in a request.
    var parts: [(name: String, text: String?)] {
        [("op", operations), ("by", by), ("having", having), ("order", order), ("tz", timeZone)]
    }
}
