/// A change of one element of a collection, as a client asks for it. Its value, if it has one, is all that a
/// draft states of the property: a collection of one element, or a map of one entry.
package enum ElementEdit: Sendable, Equatable {
    /// Puts an element into a list, before the one at the position; at the end for nil.
    case insert(at: Int?)
    /// Puts an element in the place of the one at the position of a list.
    case replace(at: Int)
    /// Takes the element at the position from a list.
    case remove(at: Int)
    /// Adds an element to a set that lacks it.
    case add
    /// Takes an element from a set, or each that equals it from a list.
    case removeEqual(isSet: Bool)
    /// Puts an entry into a map, in the place of the one with its key.
    case put
    /// Takes the entry with the draft's key from a map.
    case removeEntry
}
