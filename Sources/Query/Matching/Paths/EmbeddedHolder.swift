import HoldfastRows

/// The row around an embedded object: an object, or an embedded object that has a holder itself.
///
/// Walks into embedded objects that may have to find the way back keep holders on a stack.
package struct EmbeddedHolder {
    package var row: RowView
    /// The object key of the object that the row belongs to or lies in.
    package var key: UInt64
    /// The class of the holder, by position in the schema.
    package var classIndex: Int
    /// The property that holds the embedded object.
    package var member: Int
    /// The position of the holder of an embedded holder on the stack; −1 of an object.
    package var parent: Int

    package init(row: RowView, key: UInt64, classIndex: Int, member: Int, parent: Int) {
        self.row = row
        self.key = key
        self.classIndex = classIndex
        self.member = member
        self.parent = parent
    }
}

extension [EmbeddedHolder] {
    /// Returns the object that an embedded object belongs to, by the position of its holder; nil for −1.
    package func owner(of position: Int) -> EmbeddedHolder? {
        guard position >= 0 else { return nil }
        var holder = self[position]
        while holder.parent >= 0 { holder = self[holder.parent] }
        return holder
    }
}
