import HoldfastObjectJSON
import HoldfastObjectStore

/// The readable and writable parts of the store for a user, by the access document as of the version of each view. Any thread may ask.
package final class PrincipalSight: SightSource {
    private let access: AccessControl
    private let principal: Principal

    /// Makes what is asked for a principal.
    package init(_ access: AccessControl, _ principal: Principal) {
        self.access = access
        self.principal = principal
    }

    /// The user's id, or the token's number, behind a letter; empty for an anonymous visitor.
    package var name: String {
        principal.user.map { "u" + $0 } ?? principal.token.map { "t\($0.number)" } ?? ""
    }

    /// Users see nothing where there is no document, or none that holds in the schema.
    package func sight(in read: StoreView) throws(RequestFault) -> Sight? {
        try access.sight(for: principal, on: read)
    }

    /// Users may do nothing where there is no document, or none that holds in the schema.
    package func rights(in read: StoreView) throws(RequestFault) -> WriteRights? {
        try access.rights(for: principal, on: read)
    }

    /// Decides by the terms of the token and the record of the user.
    package func wasShutOut(
        since version: UInt64, in read: StoreView
    ) throws(RequestFault) -> Bool {
        try access.wasShutOut(principal, since: version, on: read)
    }

    /// The user's own object, where rules read something of it.
    package func decidingObject(in read: StoreView) throws(RequestFault) -> ObservedQuery? {
        try access.rules(for: read.rows)?.decidingObject(of: principal)
    }

    /// Decides by the values that rules read of the user's own object at each version.
    package func wasOtherwise(
        since version: UInt64, _ changes: FoldedChanges, in read: StoreView
    ) throws(RequestFault) -> Bool {
        try access.readOtherwise(principal, since: version, changes, on: read)
    }
}
