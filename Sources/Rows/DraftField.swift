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
