import HoldfastObjectModel

/// An index that may have several entries for one value of a property, such as one for each word.
package struct SearchIndex: Hashable, Sendable {
    package var kind: SearchIndexKind
    /// The number of its entries. It is the index's own, so that it can be built beside an index of the property's values, or
    /// beside remains of an earlier index.
    package var number: UInt32
    /// The position of the property.
    package var member: Int

    package init(kind: SearchIndexKind, number: UInt32, member: Int) {
        self.kind = kind
        self.number = number
        self.member = member
    }
}

/// A value, of one property or of a group, that must be different for all objects of a class.
package struct UniqueKey: Sendable {
    /// The number of its index entries: the property's number, or the group's.
    package var number: UInt32
    /// The positions of the properties.
    package var members: [Int]
    /// Whether it is a group. Groups have their own kind of index entries.
    package var isGroup: Bool

    /// Makes a unique key.
    package init(number: UInt32, members: [Int], isGroup: Bool) {
        self.number = number
        self.members = members
        self.isGroup = isGroup
    }
}
