import HoldfastRows

/// The change of one object as seen by a query.
package struct QueryEvent: Sendable {
    /// The kinds of event.
    package enum Kind: String, Sendable {
        /// The object matches now and did not before.
        case enter
        /// The object matches as before, and a property of it or a reached object changed.
        case update
        /// The object is there but matches no longer.
        case leave
        /// The object is gone.
        case delete
    }

    /// The kind of change.
    package var kind: Kind
    package var identity: ObjectIdentity
    /// The properties of an update that changed, or that lead to a change.
    package var members: MemberSet
    /// The changed positions of an update among the shown values, if only some of these count; nil if they are not known exactly.
    package var shown: MemberSet?
    /// The primary key of a deleted object, see ``ChangeRecord/primaryKey``.
    package var primaryKey: [UInt8]
    package var version: UInt64
    /// Whether it is not known that its readers may learn the object's name. Then nothing can be reported object by object.
    package var isUndecided = false

    /// Describes a change.
    package init(
        kind: Kind, identity: ObjectIdentity, members: MemberSet, primaryKey: [UInt8],
        version: UInt64
    ) {
        self.kind = kind
        self.identity = identity
        self.members = members
        self.primaryKey = primaryKey
        self.version = version
    }
}
