import HoldfastStorage

/// The views in which the writer's thread looks at what a group has changed, used again from group to group; they keep the
/// last one in memory.
final class CommitViews {
    /// Bytes that a group may change to be looked at: their values are read.
    private static let seenByteCountMax = 256 << 10

    private var before: ReadTransaction?
    private var after: ReadTransaction?

    /// The changes of a group since a version, seen in its snapshot and its overlay; nil where that is much.
    ///
    /// For the time between the group's commit and its end, until ``close()``.
    func step(of group: CommitGroup, after version: UInt64) -> CommitStep? {
        guard group.memory.changes.isComplete, group.overlay.byteCount <= Self.seenByteCountMax
        else { return nil }
        let before = view(of: group.snapshot, group, reusing: self.before)
        let after = view(of: OverlaySnapshot(group), group, reusing: self.after)
        self.before = before
        self.after = after
        return CommitStep(
            before: before, after: after, start: version, changes: group.memory.changes)
    }

    /// Ends the views, and with them the group's snapshot.
    func close() {
        before?.close()
        after?.close()
    }

    private func view(
        of snapshot: any StorageSnapshot, _ group: CommitGroup, reusing closed: ReadTransaction?
    ) -> ReadTransaction {
        if let closed, closed.rows === group.catalog.rows, closed.begin(snapshot) { return closed }
        return ReadTransaction(
            uncommitted: snapshot, catalog: group.catalog, epoch: group.state.epoch)
    }
}
