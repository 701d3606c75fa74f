import HoldfastStorage

/// The changes that were committed and are not in the tree yet, at one commit. Doesn't change; any thread.
///
/// A snapshot is a state of the tree under one of these.
final class RecentChanges: Sendable {
    /// The last commits, newest first.
    let active: [ChangeRun]
    /// The commits before them, newest first: those that a checkpoint is writing to the tree.
    let frozen: [ChangeRun]

    /// Nil when there is nothing.
    init?(active: [ChangeRun], frozen: [ChangeRun]) {
        if active.isEmpty && frozen.isEmpty { return nil }
        self.active = active
        self.frozen = frozen
    }

    /// The value of `key` here, or else in the tree.
    ///
    /// Cost: about a cache miss a run, and a binary search in one of them.
    func value(
        forKey key: UnsafeRawBufferPointer, over tree: LMDBTransaction
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        let hash = ChangeRun.hash(key)
        for run in active {
            if let change = run.find(key, hash: hash) { return change.value }
        }
        for run in frozen {
            if let change = run.find(key, hash: hash) { return change.value }
        }
        return try tree.value(forKey: key)
    }
}
