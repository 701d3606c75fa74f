import HoldfastRows

/// A change of an object's row: what entries in indexes, unique keys and inverse links follow from.
struct RowChange {
    let rowClass: RowClass
    let key: UInt64
    /// The row before; nil for a new object.
    let old: RowView?
    /// The row from now on; nil for an object that goes away.
    let new: RowView?
    /// The properties that differ; nil for all.
    var members: MemberSet?

    /// Whether the change concerns a property.
    func concerns(_ member: Int) -> Bool { members?.contains(member) ?? true }
}
