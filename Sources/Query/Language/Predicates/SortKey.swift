/// A value to sort by, or to keep distinct.
package struct SortKey: Hashable, Sendable {
    /// The way to the value: through to-one links, embedded objects and list positions.
    package var path: ValuePath
    /// Whether small values come first.
    package var isAscending: Bool

    /// Makes a key; `path` leads to one value.
    package init(path: ValuePath, isAscending: Bool = true) {
        self.path = path
        self.isAscending = isAscending
    }
}
