import HoldfastQuery
import HoldfastRows

/// An object that a step concerns. Its rows are read once for all filters; they are valid as long as both views.
struct ChangedObject {
    let identity: ObjectIdentity
    /// Its own change; nil for one that is only reached along links.
    let change: FoldedChanges.Change?
    let before: RowView?
    let after: RowView?

    /// Its own properties that changed.
    var members: MemberSet { change?.members ?? MemberSet() }

    /// Whether it is there before and after, and did not itself change what is at a place or the way to it.
    func isSame(at place: ValuePlace) -> Bool {
        before != nil && after != nil && !members.contains(place.firstMember)
    }
}
