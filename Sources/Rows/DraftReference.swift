/// A link in a draft, named as the client named it; resolved when the draft is written.
package struct DraftReference: Sendable {
    /// The name of the target.
    package enum Target: Sendable {
        /// By its primary key: this range of the draft's arena holds an ``OrderedKey``.
        case primaryKey(start: Int, count: Int)
        /// By its object key.
        case objectKey(UInt64)
        /// By the object itself, to be created or merged in the same write: this child of the draft.
        case child(Int)
        /// By the number that the object has among the named ones of its transaction.
        case named(Int)
    }

    /// The property that holds the link.
    package var member: Int
    /// The position in the collection; nil for a to-one link, and for one in a `mixed` value. In a map
    /// that of the draft's entry.
    package var element: Int?
    /// The position of the class that the link leads to.
    package var classIndex: Int
    /// Of a link in a `mixed` value, where it begins in the draft's arena.
    package var mixedOffset: Int?
    /// The target.
    package var target: Target

    /// The property and the position in its collection.
    package var place: DraftPlace { DraftPlace(member: member, element: element) }
}

/// The place of an embedded object or a link in the draft that states it.
package struct DraftPlace: Sendable {
    /// The property that holds it.
    package var member: Int
    /// The position in a list, in a map that of the draft's entry; nil for a single object.
    package var element: Int?
}
