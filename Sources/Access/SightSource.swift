import HoldfastObjectJSON
import HoldfastObjectStore

/// Says what a principal may read and write. Any thread may ask.
package protocol SightSource: AnyObject, Sendable {
    /// Tells the principal apart from others.
    var name: String { get }

    /// Returns what the principal may read as of a version; nil where that is everything.
    ///
    /// - `read`: The view of the version, which shows everything.
    /// - Throws: ``RequestFault`` where rules can't be told: nothing is shown then.
    func sight(in read: StoreView) throws(RequestFault) -> Sight?

    /// Returns what the principal may do in a transaction that begins from a version; nil where that is everything.
    ///
    /// - `read`: The view of the version, which shows everything.
    /// - Throws: ``RequestFault`` where rules can't be told: nothing is done then.
    func rights(in read: StoreView) throws(RequestFault) -> WriteRights?

    /// Returns whether the principal may have been barred at some version since one, or whether its token had other terms then.
    ///
    /// - `read`: A view of a later version, which shows everything.
    /// - Throws: ``RequestFault`` when storage fails.
    func wasShutOut(
        since version: UInt64, in read: StoreView
    ) throws(RequestFault) -> Bool

    /// Returns the object whose changes, with those of what it leads to, may change that while rules stay the same; nil for none.
    ///
    /// - `read`: A view that shows everything.
    /// - Throws: As ``sight(in:)``.
    func decidingObject(in read: StoreView) throws(RequestFault) -> ObservedQuery?

    /// Tells whether the principal may have had another view at some version, because that object, or an object that it leads to, was different then.
    ///
    /// - Parameters:
    ///   - version: The version to begin with.
    ///   - changes: The changes from there to the version of the view, of the classes that ``decidingObject(in:)`` reads.
    ///   - read: A view that shows everything.
    /// - Returns: Whether the view was or may have been different.
    /// - Throws: As ``sight(in:)``.
    func wasOtherwise(
        since version: UInt64, _ changes: FoldedChanges, in read: StoreView
    ) throws(RequestFault) -> Bool
}
