import HoldfastRows

/// The outcome of looking an object up that a write is about.
struct FoundObject {
    /// The object key, if the object is there or awaited.
    var key: UInt64?
    /// The row, if the object is there.
    var row: RowView?
    /// The key of the primary key that was looked up, if it was; valid until the next one is made.
    var primaryKey: StoredPrimaryKey?
    /// The number that the store has made for a new object's primary key.
    var number: Int64?
}
