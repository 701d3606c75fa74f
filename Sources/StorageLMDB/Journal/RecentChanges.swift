import HoldfastStorage

/// The committed changes that are not in the tree yet, at one commit. The object does not change; any thread.
///
/// A snapshot is a state of the tree with these changes over it.
///
/// Benchmark rows: `point-get`, `put-indexed`.
final class RecentChanges: Sendable {
    /// The last commits, newest first.
    let active: [ChangeRun]
    /// The commits before them, newest first. A checkpoint is writing these to the tree.
    let frozen: [ChangeRun]

    /// Creates the object; nil if there are no changes.
    init?(active: [ChangeRun], frozen: [ChangeRun]) {
        if active.isEmpty && frozen.isEmpty { return nil }
        self.active = active
        self.frozen = frozen
    }

    /// Returns the value of `key` in the changes, otherwise in the tree.
    ///
    /// Cost: about one cache miss for each run, and a binary search in one of them.
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
