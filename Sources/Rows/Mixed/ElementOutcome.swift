/// The outcome of a change of an element, or of one inside a `mixed` value.
package struct ElementOutcome: Sendable, Equatable {
    /// Whether an element or entry came that was not there.
    package var isCreated = false
    /// The position of an element that was inserted into a list.
    package var position: Int?

    /// Nothing was added.
    package init() {}

    /// Notes a value that came in the place of others, or of none.
    package init(_ range: Range<Int>, isList: Bool) {
        isCreated = range.isEmpty
        if isCreated, isList { position = range.lowerBound }
    }
}
