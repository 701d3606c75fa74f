import HoldfastObjectJSON
import HoldfastObjectStore

/// Decides on a principal's read and write access. Any thread may use it.
package protocol VisibilitySource: AnyObject, Sendable {
    /// A name that distinguishes the principal from others.
    var name: String { get }
    /// The id of the principal's user; nil without one.
    var user: String? { get }

    /// Returns the principal's read access at a version; nil if it may read everything.
    ///
    /// - `read`: The view of the version, which shows everything.
    /// - Throws: ``RequestFault`` if the rules cannot be evaluated. Show nothing then.
    func visibility(in read: StoreView) throws(RequestFault) -> Visibility?

    /// Returns the principal's rights in a transaction that begins from a version; nil if it may do everything.
    ///
    /// - `read`: The view of the version, which shows everything.
    /// - Throws: ``RequestFault`` if the rules cannot be evaluated. Do nothing then.
    func rights(in read: StoreView) throws(RequestFault) -> WriteRights?

    /// Returns whether the principal may have been barred since a version, or whether its token had other terms then.
    ///
    /// - `read`: A view of a later version, which shows everything.
    /// - Throws: ``RequestFault`` when storage fails.
    func wasShutOut(since version: UInt64, in read: StoreView) throws(RequestFault) -> Bool

    /// Returns the object on which read access depends while the rules stay the same, with the objects that it leads to. Nil if
    /// there is none.
    ///
    /// - `read`: A view that shows everything.
    /// - Throws: As ``visibility(in:)``.
    func decidingObject(in read: StoreView) throws(RequestFault) -> ObservedQuery?

    /// Returns whether the principal may have had another view at an earlier version, because that object, or an object that it
    /// leads to, was different.
    ///
    /// - Parameters:
    ///   - version: The version to begin with.
    ///   - changes: The changes from that version to the view's version, of the classes that ``decidingObject(in:)`` reads.
    ///   - read: A view that shows everything.
    /// - Returns: Whether the view was or may have been different.
    /// - Throws: As ``visibility(in:)``.
    func wasOtherwise(
        since version: UInt64, _ changes: FoldedChanges, in read: StoreView
    ) throws(RequestFault) -> Bool
}
