import HoldfastRows

/// The outcome of a write for one object.
package struct WriteResult {
    /// The class's position.
    package var classIndex: Int
    /// The object key.
    package var key: UInt64
    /// The object's row after the write, valid while the transaction's body runs.
    package var row: RowView
    /// Whether the object is new.
    package var isCreated: Bool
    /// Whether anything changed.
    package var isChanged: Bool

    /// The outcome for an object that is there.
    init(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView, isCreated: Bool = false,
        isChanged: Bool
    ) {
        classIndex = rowClass.index
        self.key = key
        self.row = row
        self.isCreated = isCreated
        self.isChanged = isChanged
    }
}
