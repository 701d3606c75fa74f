/// The target of a link that a draft states without nesting it.
enum LinkTarget {
    /// An object with this object key that a primary key leads to; it is there or awaited.
    case found(UInt64)
    /// The object key that the link states, whose row may be missing.
    case stated(UInt64)
    /// No object: the key of the primary key that leads nowhere.
    case absent(StoredPrimaryKey)
}
