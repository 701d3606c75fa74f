import HoldfastObjectJSON
import HoldfastObjectStore

/// A principal's read and write access by the access document, as of the version of each view. Any thread may use it.
package final class PrincipalVisibility: VisibilitySource {
    private let access: AccessControl
    private let principal: Principal

    package init(_ access: AccessControl, _ principal: Principal) {
        self.access = access
        self.principal = principal
    }

    /// The user's id after `u`, or the token's number after `t`; empty for an anonymous visitor.
    package var name: String {
        principal.user.map { "u" + $0 } ?? principal.token.map { "t\($0.number)" } ?? ""
    }

    package var user: String? { principal.user }

    /// Returns an empty visibility if there is no document, or if it is invalid in the schema.
    package func visibility(in read: StoreView) throws(RequestFault) -> Visibility? {
        try access.visibility(for: principal, on: read)
    }

    /// Returns no rights if there is no document, or if it is invalid in the schema.
    package func rights(in read: StoreView) throws(RequestFault) -> WriteRights? {
        try access.rights(for: principal, on: read)
    }

    /// Decides by the terms of the token and the record of the user.
    package func wasShutOut(
        since version: UInt64, in read: StoreView
    ) throws(RequestFault) -> Bool {
        try access.wasShutOut(principal, since: version, on: read)
    }

    /// Returns the user's own object, if read rules or roles read properties of it.
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
