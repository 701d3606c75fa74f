/// What the transactions of a group did to objects, in their order, as long as that is little: for the writer's thread,
/// which looks whom it concerns.
struct GroupChanges {
    /// Records of each kind up to which they are kept: behind more, what a thread's wake-up costs counts for little.
    private static let countMax = 128

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
        lostLinks += entry.lostLinks
    }

    /// Begins with nothing, in the same memory.
    mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        lostLinks.removeAll(keepingCapacity: true)
        isComplete = true
    }
}
