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

/// A value that no two objects of a class may share: that of a property, or those of a group of properties.
package struct UniqueKey: Sendable {
    /// The number under which its index entries stand: the property's own, or one of the group's.
    package var number: UInt32
    /// The positions of the properties.
    package var members: [Int]
    /// Whether it is a group, which has index entries of its own kind.
    package var isGroup: Bool

    /// Makes a unique key.
    package init(number: UInt32, members: [Int], isGroup: Bool) {
        self.number = number
        self.members = members
        self.isGroup = isGroup
    }
}
