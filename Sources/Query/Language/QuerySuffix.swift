/// One thing done to the matches, in the order of the text.
package enum QuerySuffix: Hashable, Sendable {
    /// Sorts, stably; the first key counts most.
    case sort([SortKey])
    /// Keeps the first object of each combination of values, in the present order.
    case distinct([SortKey])
    /// Keeps at most so many.
    case limit(Int)
}
