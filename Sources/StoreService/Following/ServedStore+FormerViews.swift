import HoldfastObjectJSON
import HoldfastObjectStore

extension ServedStore {
    /// The most objects that have changed which decide about views; where more have, a view may have been another.
    static let decidingObjectCountMax = 200_000

    /// Whether a caller may have had another view at some version since one, because its own object, or data that rules read along its links, was
    /// different, its token had other terms, or the user was barred. Changes since then can't be reported by the present values, although the rules
    /// are the same.
    ///
    /// - Parameters:
    ///   - caller: The caller.
    ///   - version: The version behind which the caller is told of changes.
    ///   - read: The view that these are told by.
    ///   - folds: The changes that many callers have missed; nil for one who asks alone.
    ///   - objectCountMax: The most changed objects that are looked at; where more have changed it is not known.
    /// - Returns: Whether that is so, or is not known. False also where the change log does not reach back so far, which is told otherwise.
    /// - Throws: ``RequestFault`` when storage fails, or the time of the read is over.
    func hadOtherView(
        _ caller: Caller, since version: UInt64, in read: ReadTransaction,
        sharing folds: FoldCache? = nil, objectCountMax: Int = decidingObjectCountMax
    ) throws(RequestFault) -> Bool {
        guard let sight = caller.sight else { return false }
        let bare = read.bare
        let present = try stored(bare.state().version)
        if version >= present { return false }
        if try sight.wasShutOut(since: version, in: bare) { return true }
        guard let deciding = try sight.decidingObject(in: bare) else { return false }
        let changes: FoldedChanges
        do throws(FoldedChanges.Gap) {
            let shared = try folds?.changes(
                after: version, through: present, in: bare, classes: deciding.formerClasses
            ).changes
            if let shared, shared.through == present {
                changes = shared
            } else {
                changes = try FoldedChanges(
                    after: version, in: bare, objectCountMax: objectCountMax,
                    recordCountMax: min(FoldCache.recordCountMax, 10 * objectCountMax),
                    classes: deciding.formerClasses)
            }
        } catch {
            if case .storage(let error) = error { throw fault(.storage(error)) }
            return false
        }
        if changes.through < present || deciding.readsChangedShape(in: changes) { return true }
        if changes.order.isEmpty { return false }
        return try evaluate(on: read) { () throws(RequestFault) in
            try sight.wasOtherwise(since: version, changes, in: bare)
        }
    }
}
