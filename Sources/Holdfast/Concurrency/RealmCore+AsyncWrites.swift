import HoldfastObjectStore

extension RealmCore {
    /// Has `run` called in a write, in the realm's place and when the writes that wait for the writer now are done.
    ///
    /// - `fail`: Is told there why the write can't begin.
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
        // Waits behind the earlier ones. A queue that is busy with other work gets no interactive write.
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
            // One that the program holds open from one block to another.
            asyncWrites.overdueCount += 1
            return
        }
        // It may have been cancelled.
        guard let request = asyncWrites.takeRequest() else { return }
        do { try begin() } catch { return request.fail(error) }
        let turn = turn
        request.run()
        if self.turn === turn, isInWrite { cancel() }
    }

    /// Runs the asynchronous writes that became due during the write that has ended.
    func runOverdueWrites() {
        let count = asyncWrites.overdueCount
        asyncWrites.overdueCount = 0
        for _ in 0..<count { confinement.schedule { self.runAsyncWrite() } }
    }

    /// Ends the write; its changes are on their way, and a read before they are durable waits for that.
    func commitAsync(
        _ id: Realm.AsyncTransactionId, _ onComplete: @escaping ((any Error)?) -> Void
    ) {
        guard let turn = interactiveWriteForCommit() else {
            return tellLater(id, fault, onComplete)
        }
        asyncWrites.commit = AsyncWrites.Commit(id: id, turn: turn, onComplete: onComplete)
        // Each access asks where it is, and there waits.
        state.pointee.thread = ViewState.nobody
        do throws(StoreError) {
            try turn.commit { [self, keeper = confinement.keeper] in
                withExtendedLifetime(keeper) { confinement.schedule { self.deliver() } }
            }
        } catch {
            preconditionFailure("The turn of a commit was lent until now.")
        }
    }

    private func tellLater(
        _ id: Realm.AsyncTransactionId, _ error: (any Error)?,
        _ onComplete: @escaping ((any Error)?) -> Void
    ) {
        asyncWrites.tell(id) { onComplete(error) }
        confinement.schedule { self.deliver() }
    }

    /// Tells of the commits that are durable or have failed.
    private func deliver() {
        checkThread()
        if !isReleased { tellObservers() }
        asyncWrites.deliver()
    }

    /// Waits for the commit that is on its way, and advances to it.
    func settle() {
        guard let commit = asyncWrites.commit.take() else { return }
        let error = finishCommit { () throws(StoreError) in try commit.turn.awaitCommit() }
        asyncWrites.tell(commit.id) { commit.onComplete(error) }
    }

    /// Cancels a waiting write, or forgets the observers of a commit.
    ///
    /// - Returns: The write that is not going to run.
    @discardableResult
    func cancelAsync(_ id: Realm.AsyncTransactionId) -> AsyncWrites.Request? {
        checkThread()
        if let request = asyncWrites.takeRequest(id) { return request }
        asyncWrites.forget(id)
        return nil
    }
}

/// A place among the writes that wait for a store's writer: one that changes nothing, and tells when it has come.
final class QueuedSlot: PendingWrite {
    private let ready: @Sendable () -> Void

    /// - `ready`: Called once, on the writer's thread as a rule, and has to return at once.
    init(_ ready: @escaping @Sendable () -> Void) { self.ready = ready }

    func run(_ transaction: WriteTransaction) {}

    /// A place that is refused has come, too: the write that begins then is told why.
    func finish(_ outcome: WriteOutcome) { ready() }
}
