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
