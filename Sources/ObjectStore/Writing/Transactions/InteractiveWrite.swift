/// An interactive write of the writer's that is open: until it ends, its owner changes the store on its own thread, and the
/// writer's thread waits.
///
/// Its changes are made once. Object keys come in the order in which objects are made or first linked to. There is no limit of
/// operations or bytes. Changes that ``spillToEngine()`` does not move wait in memory. One thread at a time uses it, not always
/// the same one. An interactive write that is released without an end is cancelled.
package final class InteractiveWrite: @unchecked Sendable {
    // Unchecked: one thread at a time uses it, as its callers promise.
    private let pending: QueuedInteractiveWrite
    private let queue: CommitQueue
    private var interactive: WriteTransaction?

    /// An interactive write with an open transaction.
    init(_ pending: QueuedInteractiveWrite, _ interactive: WriteTransaction, _ queue: CommitQueue) {
        self.pending = pending
        self.interactive = interactive
        self.queue = queue
    }

    deinit { cancel() }

    /// The changes of the write. Rows that it hands out are valid until the write ends or ``spillToEngine()`` takes them.
    ///
    /// - Precondition: The write has not ended.
    package var transaction: WriteTransaction {
        guard let interactive else { preconditionFailure("the interactive write has ended") }
        return interactive
    }

    /// Moves the changes so far into the engine's open transaction if they take more than
    /// ``StoreOptions/interactiveByteCountMax``, unless a part is being attempted. It is called between two operations. The write
    /// sees the same state as before, and can be cancelled as a whole. From then on it shares its commit with no other write.
    ///
    /// Cost: a comparison; when it moves changes, the cost of committing them without the sync.
    /// - Returns: Whether it did: then no row, and no key, that the write or a view of it has handed out is valid.
    /// - Throws: ``StoreError`` `.storage`; the write can't be committed then.
    package func spillToEngine() throws(StoreError) -> Bool {
        guard let interactive, interactive.wantsRoom else { return false }
        queue.ask(.room)
        try pending.awaitRoom()
        return true
    }

    /// Waits until the earlier changes that the write builds on are committed. Until then it shows more than the newest view.
    /// Cost: that of a commit if interactive writes follow each other, otherwise zero.
    ///
    /// - Throws: ``StoreError`` if they could not be committed; the write fails, too.
    package func awaitPrecedingCommit() throws(StoreError) {
        try pending.awaitPrecedingCommit { queue.ask(.base) }
    }

    /// Ends the write and waits until its changes are durable, in one sync with writes that came meanwhile.
    ///
    /// - Returns: The version that it made, or the current one if it changed nothing.
    /// - Throws: ``StoreError`` `.danglingLinks`, `.notUnique`, `.deniedDeletion`, `.tooLarge` and `.storage`; nothing is changed
    ///   then. `.interactiveWriteEnded` if it has ended before.
    package func commit() throws(StoreError) -> UInt64 {
        guard end(commits: true) else { throw .interactiveWriteEnded }
        return try awaitCommit()
    }

    /// Ends the write without waiting. `done` is called when ``awaitCommit()`` has an answer: on the writer's thread, or on the
    /// calling thread before this method returns if the write's checks fail. `done` must return at once.
    ///
    /// - Throws: ``StoreError`` `.interactiveWriteEnded` if it has ended before.
    package func commit(_ done: @escaping @Sendable () -> Void) throws(StoreError) {
        guard end(commits: true, done) else { throw .interactiveWriteEnded }
    }

    /// Waits until the changes of an interactive write that was ended by a commit are durable; throws and returns as ``commit()``
    /// does.
    package func awaitCommit() throws(StoreError) -> UInt64 { try pending.awaitOutcome().get() }

    /// Ends the write without a change. Has no effect if it has ended.
    package func cancel() { _ = end(commits: false) }

    /// Gives the write back; false if that was done before.
    private func end(commits: Bool, _ done: (@Sendable () -> Void)? = nil) -> Bool {
        guard let interactive else { return false }
        // From then on other threads use the objects that views read.
        interactive.span.hasEnded = true
        self.interactive = nil
        pending.noteEnd(done)
        queue.end(pending, commits: commits)
        return true
    }
}

/// The time of a transaction, as the views of it see it. Only the transaction's thread uses it.
final class WriteSpan {
    /// Whether the transaction has ended: its changes are no longer where views look for them.
    var hasEnded = false
}
