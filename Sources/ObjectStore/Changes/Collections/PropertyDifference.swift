/// The difference of a property of an object between two versions.
package enum PropertyDifference {
    /// A list, by indices.
    case list(ListDifference)
    /// A set or map, by value or key.
    case keyed(KeyedDifference)
    /// A value that is no collection, or has become one or none.
    case value
    /// It can't be told: what there is now has to be read whole.
    case unknown
}
