import HoldfastRows

/// The change of one object as seen by a query.
package struct QueryEvent: Sendable {
    /// The kinds of event.
    package enum Kind: String, Sendable {
        /// The object matches now and did not before.
        case enter
        /// It matches as before, and something of it changed.
        case update
        /// It is there but matches no longer.
        case leave
        /// It is gone.
        case delete
    }

    /// The kind of change.
    package var kind: Kind
    /// Which object.
    package var identity: ObjectIdentity
    /// Of an update the properties that changed, or through which something changed.
    package var members: MemberSet
    /// Of an update of which only some of what is shown counts: what of that has changed, by position; nil where it is
    /// not known exactly.
    package var shown: MemberSet?
    /// Of a deletion the primary key, see ``ChangeRecord/primaryKey``.
    package var primaryKey: [UInt8]
    /// The version of the change.
    package var version: UInt64
    /// Whether it is not known that its readers may be told the name of the object: nothing can be told object by object then.
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
