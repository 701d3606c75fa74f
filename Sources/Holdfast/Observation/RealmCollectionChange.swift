/// A notification of a collection's observer.
///
/// An observer's own list that follows the indices alone is the collection at each call: deletions are taken out from the end,
/// then insertions put in from the beginning.
public enum RealmCollectionChange<CollectionType> {
    /// The collection as it was first found: told once, before everything else.
    case initial(CollectionType)
    /// Elements went, came or have changed. An element that moved is a deletion and an insertion.
    ///
    /// - `deletions`, `modifications`: The indices before, rising.
    /// - `insertions`: The indices after, rising.
    case update(
        CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Reading failed. Never told: reading faults end the process.
    case error(any Error)
}
