extension CommitGroup {
    /// Bytes that a group may change to be looked at: their values are read.
    private static let seenByteCountMax = 256 << 10

    /// The changes since a version, seen in the snapshot and the overlay; nil where that is much.
    ///
    /// For the time between the group's commit and its end: the snapshot is closed with the views.
    func step(after version: UInt64) -> CommitStep? {
        guard memory.changes.isComplete, overlay.byteCount <= Self.seenByteCountMax else {
            return nil
        }
        return CommitStep(
            before: ReadTransaction(uncommitted: snapshot, catalog: catalog, epoch: state.epoch),
            after: ReadTransaction(
                uncommitted: OverlaySnapshot(self), catalog: catalog, epoch: state.epoch),
            start: version, changes: memory.changes)
    }
}
