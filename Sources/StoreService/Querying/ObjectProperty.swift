import Rows

/// A property of one object, in a view of the store.
package struct ObjectProperty {
    package let rowClass: RowClass
    package let key: UInt64
    package let row: RowView
    /// Which property of the class it is.
    package let member: Int

    /// Names a property.
    package init(_ member: Int, of rowClass: RowClass, key: UInt64, _ row: RowView) {
        self.rowClass = rowClass
        self.key = key
        self.row = row
        self.member = member
    }
}
