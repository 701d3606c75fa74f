import Rows

/// An object that a step concerns. Its rows are read once for all filters; they are valid as long as both views.
struct ChangedObject {
    let identity: ObjectIdentity
    /// Its own change; nil for one that is only reached along links.
    let change: FoldedChanges.Change?
    let before: RowView?
    let after: RowView?

    /// Its own properties that changed.
    var members: MemberSet { change?.members ?? MemberSet() }
}
