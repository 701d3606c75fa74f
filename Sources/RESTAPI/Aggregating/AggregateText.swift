import StoreService

/// An aggregate as a client states it, before it is checked.
struct AggregateText: Sendable {
    /// The objects that are meant, and the page of groups.
    var query: QueryText
    /// `op`: what is asked.
    var operations: String?
    /// `by`: what the objects of a group have in common.
    var by: String?
}
