/// The way in which a value comes into a collection, or into a list or map inside a `mixed` value.
package enum Placement: Sendable {
    /// Before a list's element or at its end; as a map's entry, in the place of one with its key.
    case add
    /// As `add`, but only into a list.
    case insert
    /// In the place of a list's element; as a map's entry, whether one has its key or not.
    case put
    /// In the place of the present value.
    case replace

    /// Returns the elements that give way to the value: one, or none where it is inserted.
    ///
    /// - `found`: The end of the path to the value.
    /// - `count`: The number of elements.
    package func range(
        at found: (index: Int, isThere: Bool), isMap: Bool, count: Int
    ) throws(ElementFault) -> Range<Int> {
        switch self {
        case .add where !isMap, .insert where !isMap:
            guard found.index <= count else { throw .positionOutOfRange(count: count) }
            return found.index..<found.index
        case .insert: throw .needsKey
        case .add, .put, .replace:
            if found.isThere { return found.index..<(found.index + 1) }
            guard isMap, self != .replace else { throw .notThere }
            return found.index..<found.index
        }
    }
}
