import HoldfastObjectModel

/// An index of a property that has any number of entries for a value, such as one for each word.
package struct SearchIndex: Hashable, Sendable {
    /// The kind of index.
    package var kind: SearchIndexKind
    /// The number under which its entries stand: its own, so that it can be built beside an index of the
    /// property's values, or beside what an earlier one has left.
    package var number: UInt32
    /// The position of the property.
    package var member: Int

    /// Makes an index.
    package init(kind: SearchIndexKind, number: UInt32, member: Int) {
        self.kind = kind
        self.number = number
        self.member = member
    }
}
