import Rows

/// An object that changes may concern, as seen by a query.
package struct ConcernedObject: Sendable {
    /// Which object.
    package var identity: ObjectIdentity
    /// Its properties that changed, or through which something changed.
    package var members: MemberSet
    /// What became of the object itself; nil when it is only reached along links.
    package var change: FoldedChanges.Change?
    /// Whether the query reaches something else that changed.
    package var isReached: Bool
}
