/// Why an element, or something inside a `mixed` value, can't be read or changed.
package enum ElementFault: Error, Sendable, Equatable {
    /// The path leads to nothing.
    case notThere
    /// The path goes into a value that is no list and no map, or a value is inserted into one.
    case noElements
    /// A value is inserted into a map, whose entries have keys.
    case needsKey
    /// The list to insert into has too few elements.
    case positionOutOfRange(count: Int)
}
