import HoldfastObjectStore

extension RealmCore {
    /// Calls `run` in a write, where the realm belongs, after the writes that already wait for the writer.
    ///
    /// - `fail`: Receives the error there if the write can't begin.
    func beginAsync(
        _ run: @escaping () -> Void, fail: @escaping (any Error) -> Void
    ) -> Realm.AsyncTransactionId {
        checkThread()
        requireWritable()
        guard confinement.canSchedule else {
            Misuse.end(
                "Cannot schedule async transaction. Open the Realm on a queue, an actor or the main thread."
            )
        }
        let id = asyncWrites.makeID()
        asyncWrites.append(AsyncWrites.Request(id: id, run: run, fail: fail))
        // The write waits behind earlier ones. A queue that is busy with other work gets no interactive write.
        opened.store.submit(
            QueuedSlot { [self, keeper = confinement.keeper] in
                withExtendedLifetime(keeper) { confinement.schedule { self.runAsyncWrite() } }
            })
        return id
    }

    /// Runs the next asynchronous write.
    private func runAsyncWrite() {
        deliver()
        if isInWrite {
            // A write that the program keeps open across blocks.
            asyncWrites.overdueCount += 1
            return
        }
        // The request may have been cancelled.
        guard let request = asyncWrites.takeRequest() else { return }
        do { try begin() } catch { return request.fail(error) }
        let interactiveWrite = interactiveWrite
        request.run()
        if self.interactiveWrite === interactiveWrite, isInWrite { cancel() }
    }

    /// Runs the asynchronous writes that became due during the write that has ended.
    func runOverdueWrites() {
        let count = asyncWrites.overdueCount
        asyncWrites.overdueCount = 0
        for _ in 0..<count { confinement.schedule { self.runAsyncWrite() } }
    }

    /// Ends the write. Its changes are made durable in the background; a read before that waits.
    func commitAsync(
        _ id: Realm.AsyncTransactionId, _ onComplete: @escaping ((any Error)?) -> Void
    ) {
        guard let interactiveWrite = interactiveWriteForCommit() else {
            return tellLater(id, fault, onComplete)
        }
        asyncWrites.commit = AsyncWrites.Commit(
            id: id, interactiveWrite: interactiveWrite, onComplete: onComplete)
        // Each access then calls the realm, which waits there.
        state.pointee.thread = ViewState.nobody
        do throws(StoreError) {
            try interactiveWrite.commit { [self, keeper = confinement.keeper] in
                withExtendedLifetime(keeper) { confinement.schedule { self.deliver() } }
            }
        } catch { preconditionFailure("The interactive write ended before its commit.") }
    }

    private func tellLater(
        _ id: Realm.AsyncTransactionId, _ error: (any Error)?,
        _ onComplete: @escaping ((any Error)?) -> Void
    ) {
        asyncWrites.tell(id) { onComplete(error) }
        confinement.schedule { self.deliver() }
    }

    /// Calls the completions of commits that are durable or have failed.
    private func deliver() {
        checkThread()
        if !isReleased { tellObservers() }
        asyncWrites.deliver()
    }

    /// Waits for the pending commit, and advances to it.
    func settle() {
        guard let commit = asyncWrites.commit.take() else { return }
        let error = finishCommit { () throws(StoreError) in
            try commit.interactiveWrite.awaitCommit()
        }
        asyncWrites.tell(commit.id) { commit.onComplete(error) }
    }

    /// Cancels a waiting write, or forgets the observers of a commit.
    ///
    /// - Returns: The cancelled write.
    @discardableResult
    func cancelAsync(_ id: Realm.AsyncTransactionId) -> AsyncWrites.Request? {
        checkThread()
        if let request = asyncWrites.takeRequest(id) { return request }
        asyncWrites.forget(id)
        return nil
    }
}

/// A slot in the queue of a store's writer. It changes nothing, and reports when its turn has come.
final class QueuedSlot: PendingWrite {
    private let ready: @Sendable () -> Void

    /// - `ready`: Called once, usually on the writer's thread; has to return at once.
    init(_ ready: @escaping @Sendable () -> Void) { self.ready = ready }

    func run(_ transaction: WriteTransaction) {}

    /// A refused slot is ready, too: the write that begins then receives the reason.
    func finish(_ outcome: WriteOutcome) { ready() }
}
