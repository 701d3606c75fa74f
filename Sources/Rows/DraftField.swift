/// The statement of a draft about one property.
package struct DraftField: Sendable {
    /// The kinds of statement.
    package enum State: UInt8, Sendable {
        /// No statement: the property takes its default, or keeps the stored value if the draft merges.
        case absent
        case null
        /// The stored value stays, even if the draft replaces the object.
        case kept
        /// The default, also if the draft changes an object.
        case defaulted
        /// A value of fixed width, in ``low`` and ``high``.
        case inline
        /// A string, data value, or collection of scalars: `start ..< start + count` of the arena.
        case heap
        /// A link: the reference at `start`.
        case reference
        /// A collection of links: the references `start ..< start + count`.
        case references
        /// An embedded object: the child at `start`.
        case child
        /// A list of embedded objects: the children `start ..< start + count`.
        case children
        /// A map: the entries `start ..< start + count`.
        case entries
    }

    /// The kind of statement.
    package var state: State
    /// The first eight slot bytes of an inline value; otherwise ``start``.
    package var low: UInt64
    /// The remaining slot bytes of an inline value; otherwise ``count``.
    package var high: UInt64

    /// The offset or position of the value, by kind.
    package var start: Int { Int(truncatingIfNeeded: low) }
    /// The number of bytes or parts there, by kind.
    package var count: Int { Int(truncatingIfNeeded: high) }

    /// No statement.
    package init() { self.init(.absent, low: 0, high: 0) }

    init(_ state: State, low: UInt64, high: UInt64) {
        self.state = state
        self.low = low
        self.high = high
    }

    init(_ state: State, start: Int, count: Int) {
        self.init(
            state, low: UInt64(truncatingIfNeeded: start), high: UInt64(truncatingIfNeeded: count))
    }
}

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
