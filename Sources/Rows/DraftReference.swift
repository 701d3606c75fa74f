/// A link in a draft, with the target as the client gave it. It is resolved when the draft is written.
package struct DraftReference: Sendable {
    /// The target, by one of its names.
    package enum Target: Sendable {
        /// The primary key: this range of the draft's arena holds an ``OrderedKey``.
        case primaryKey(start: Int, count: Int)
        case objectKey(UInt64)
        /// The object itself, to be created or merged in the same write: this child of the draft.
        case child(Int)
        /// The number of the object among the named objects of its transaction.
        case named(Int)
    }

    /// The property that holds the link.
    package var member: Int
    /// The position in the collection; in a map, the position of the draft's entry. Nil for a to-one link, and for a link in a
    /// `mixed` value.
    package var element: Int?
    /// The position of the class that the link leads to.
    package var classIndex: Int
    /// The offset in the draft's arena of a link in a `mixed` value; otherwise nil.
    package var mixedOffset: Int?
    package var target: Target

    /// The property and the position in its collection.
    package var place: DraftPlace { DraftPlace(member: member, element: element) }
}

/// The position of an embedded object or a link in the draft that contains it.
package struct DraftPlace: Sendable {
    /// The property that holds it.
    package var member: Int
    /// The position in a list; in a map, the position of the draft's entry. Nil for a single object.
    package var element: Int?
}
