import Rows

/// An object that changes may concern, seen by an ``ObservedQuery``.
package struct ObservedCandidate: Sendable {
    /// Which object.
    package let identity: ObjectIdentity
    /// The properties that changed, or through which something changed.
    let members: MemberSet
    /// What became of it; nil for one that is reached along links and did not change itself.
    package let change: FoldedChanges.Change?
    /// The last version of the changes.
    let through: UInt64
}
