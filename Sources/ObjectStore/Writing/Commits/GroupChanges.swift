import HoldfastBytes

/// The changes of objects by the transactions of a group, in their order, as long as they are few: the writer's thread looks up
/// the channels that they concern.
struct GroupChanges {
    /// Changes, and lost links, up to which they are kept: behind more, what a thread's wake-up costs counts for little.
    private static let countMax = 64

    private(set) var records: [ChangeRecord] = []
    private(set) var lostLinks: [LostLink] = []
    /// Whether these are all.
    private(set) var isComplete = true

    /// Adds what one transaction did.
    mutating func append(_ entry: ChangeLogEntry) {
        guard isComplete, entry.changedShapes.isEmpty,
            records.count + entry.changes.count <= Self.countMax,
            lostLinks.count + entry.lostLinks.count <= Self.countMax
        else {
            isComplete = false
            return
        }
        records += entry.changes
        if !entry.lostLinks.isEmpty { lostLinks += entry.lostLinks }
    }

    /// Begins with nothing, in the same memory.
    mutating func removeAll() {
        records.removeAllInPlace()
        lostLinks.removeAllInPlace()
        isComplete = true
    }
}
