import HoldfastStorage

/// The changes that were committed and are not in the tree yet, at one commit. Doesn't change; any thread.
///
/// A snapshot is a state of the tree under one of these.
final class RecentChanges: Sendable {
    /// The last commits, newest first.
    let active: [ChangeRun]
    /// The commits before them, newest first: those that a checkpoint is writing to the tree.
    let frozen: [ChangeRun]

    /// How many bytes they take in the journal.
    let byteCount: Int

    /// Nil when there is nothing.
    init?(active: [ChangeRun], frozen: [ChangeRun], byteCount: Int) {
        if active.isEmpty && frozen.isEmpty { return nil }
        self.byteCount = byteCount
        self.active = active
        self.frozen = frozen
    }

    /// The last change of `key`; nil where it is as the tree has it.
    ///
    /// Cost: about a cache miss a run, and a binary search in one of them.
    func change(forKey key: UnsafeRawBufferPointer) -> ChangeRun.Change? {
        let hash = ChangeRun.hash(key)
        for run in active {
            if let change = run.find(key, hash: hash) { return change }
        }
        for run in frozen {
            if let change = run.find(key, hash: hash) { return change }
        }
        return nil
    }

    /// The value of `key` here, or else in the tree.
    func value(
        forKey key: UnsafeRawBufferPointer, over tree: LMDBTransaction
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        if let change = change(forKey: key) { return change.value }
        return try tree.value(forKey: key)
    }
}
