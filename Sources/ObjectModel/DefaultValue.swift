/// The value of a property in a new object that does not state it.
package enum DefaultValue: Hashable, Sendable {
    /// The same value in every object.
    case constant(Value)
    /// A random UUID, fresh for each object; `"$uuid"`.
    case uuid
    /// A generated object identifier, fresh for each object; `"$objectId"`.
    case objectID
    /// The time of the write; `"$now"`.
    case now
    /// A number above all that the class's primary keys have had so far, from 1; `"$next"`. Only of
    /// primary keys that are integers.
    case next
}
