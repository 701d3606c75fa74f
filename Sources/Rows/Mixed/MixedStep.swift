/// A step into a `mixed` value, or into a collection of such values.
package enum MixedStep: Hashable, Sendable {
    /// To an element of a list or set.
    case index(Int)
    /// To the value of a key in a map.
    case key(String)
}
