/// Some of the groups in an order: so many, behind a position.
package struct GroupPage {
    /// Which groups there are, and their order.
    package let selection: GroupSelection
    /// The ``GroupSelection/position(of:)`` that only later groups are wanted of; nil for all.
    package let after: [UInt8]?
    /// How many are wanted; nil for all.
    package let countMax: Int?

    /// Makes a page.
    package init(
        of selection: GroupSelection = GroupSelection(), after: [UInt8]?, countMax: Int?
    ) {
        self.selection = selection
        self.after = after
        self.countMax = countMax
    }

    /// The part that is known before all groups are: those behind its position in the order of values, as many as are wanted,
    /// or all.
    var beforehand: GroupPage {
        selection.needsAll ? GroupPage(after: nil, countMax: nil) : self
    }
}
