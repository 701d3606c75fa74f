import Glibc
import HoldfastObjectModel
import HoldfastStorage
import HoldfastThreads

/// Interactive writes, one behind the other in a group.
///
/// One thread at a time works on the group: the thread that has taken it out of ``Waiting/turns``. The threads of owners open it,
/// make the checks at the end of their writes and hand the group over to the next owner, so that a write costs one wake-up of a
/// thread. The writer's thread commits the group, and does the work that only it can do.
extension CommitQueue {
    // MARK: An owner's thread

    /// Queues an interactive write and waits until it is open.
    func beginInteractiveWrite() throws(StoreError) -> InteractiveWrite {
        let interactiveWrite = QueuedInteractiveWrite()
        var refusal: StoreError?
        var opensGroup = false
        var joined: InteractiveGroup?
        waiting.withLock { state in
            refusal = refusedReason(state)
            if refusal != nil { return }
            if state.writerThread == UInt(pthread_self()) || state.interactive?.isLentHere == true {
                refusal = .interactiveWriteIsOpen
                return
            }
            opensGroup = state.isIdle
            state.isIdle = false
            if !opensGroup { joined = state.takeOpenGroup() }
            if opensGroup || joined != nil {
                state.interactive = interactiveWrite
            } else {
                state.writes.append(interactiveWrite)
            }
        }
        if let refusal { throw refusal }
        if opensGroup { open(interactiveWrite) }
        if let joined { handOver(interactiveWrite, in: joined) }
        return InteractiveWrite(interactiveWrite, try interactiveWrite.awaitTransaction(), self)
    }

    /// Ends the open write.
    func end(_ interactiveWrite: QueuedInteractiveWrite, commits: Bool) {
        var taken: InteractiveGroup?
        waiting.signal { state in
            // The engine's transaction is the writer's thread's.
            if state.interactiveGroup?.group.engineTransaction == nil {
                taken = state.interactiveGroup.take()
            }
            if taken != nil { return false }
            state.request = .end(commits: commits)
            return true
        }
        if let taken { conclude(interactiveWrite, commits, in: taken) }
    }

    /// Sends a request for the open write to the writer's thread.
    func ask(_ request: InteractiveGroup.Request) { waiting.update { $0.request = request } }

    // MARK: Any thread that has taken the group

    /// Opens the group of the next write, and opens the write.
    func open(_ interactiveWrite: QueuedInteractiveWrite) {
        do {
            handOver(interactiveWrite, in: InteractiveGroup(try openGroup()))
        } catch {
            waiting.update { $0.interactive = nil }
            interactiveWrite.finish(.failure(.storage(error)))
        }
    }

    /// Opens a write and leaves its group.
    private func handOver(_ interactiveWrite: QueuedInteractiveWrite, in group: InteractiveGroup) {
        var interactiveGroup = group
        let isFirst = interactiveGroup.ended.isEmpty
        if !isFirst {
            interactiveGroup.stand = stand(
                of: interactiveGroup.group, since: interactiveGroup.version)
        }
        let transaction = WriteTransaction(
            group: interactiveGroup.group, now: Timestamp.now(), options)
        transaction.begin(options)
        // Its owner may end it at once, and then takes the group.
        leave(interactiveGroup)
        interactiveWrite.handOver(transaction, isFirst: isFirst)
    }

    private func leave(_ interactiveGroup: InteractiveGroup) {
        waiting.signal { state in
            state.interactiveGroup = interactiveGroup
            return state.hasTurnWork || state.wantsDependency && !state.isWatched
        }
    }

    /// Makes the checks at the end of the open write, and opens the next one or has the group committed.
    private func conclude(
        _ interactiveWrite: QueuedInteractiveWrite, _ commits: Bool, in group: InteractiveGroup
    ) {
        var interactiveGroup = group
        let outcome = outcome(of: interactiveWrite, commits, interactiveGroup.failure)
        if case .success = outcome { interactiveGroup.ended.append((interactiveWrite, outcome)) }
        let ended = interactiveGroup
        var next: QueuedInteractiveWrite?
        waiting.signal { state in
            state.request = nil
            state.interactive = nil
            next = ended.hasRoom ? state.takeTurn() : nil
            if next != nil { return false }
            state.interactiveGroup = ended
            return true
        }
        if let next { handOver(next, in: ended) }
        if case .failure = outcome { interactiveWrite.finish(outcome) }
    }

    private func outcome(
        of interactiveWrite: QueuedInteractiveWrite, _ commits: Bool, _ failure: StoreError?
    ) -> WriteOutcome {
        guard let transaction = interactiveWrite.transaction else {
            return .failure(.interactiveWriteEnded)
        }
        do throws(StoreError) {
            if !commits { throw .interactiveWriteEnded }
            if let failure { throw failure }
            return .success(try finish(transaction))
        } catch {
            transaction.rollBack()
            return .failure(error)
        }
    }

    // MARK: The writer's thread

    /// Does the work that only this thread can do for the open interactive write.
    func serve(
        _ interactiveWrite: QueuedInteractiveWrite, _ request: InteractiveGroup.Request,
        _ group: InteractiveGroup
    ) {
        var interactiveGroup = group
        switch request {
        case .end(let commits): conclude(interactiveWrite, commits, in: interactiveGroup)
        case .base:
            commitBase(of: interactiveWrite, &interactiveGroup)
            leave(interactiveGroup)
        case .room:
            let failure = spillToEngine(for: interactiveWrite, &interactiveGroup)
            leave(interactiveGroup)
            interactiveWrite.answer(failure)
        }
    }

    /// Commits writes that have ended, with writes that came meanwhile.
    ///
    /// - Returns: The writes that are taken and not done.
    func commit(_ group: InteractiveGroup) -> ArraySlice<any PendingWrite> {
        var interactiveGroup = group
        defer { close(interactiveGroup.group) }
        guard !interactiveGroup.ended.isEmpty else { return [] }
        let writes =
            interactiveGroup.group.engineTransaction == nil
            ? waiting.withLock { $0.writes.takeGroup(countMax: options.groupCountMax) } : []
        do {
            let ended = interactiveGroup.ended.map { $0.interactiveWrite as any PendingWrite }
            return try commit(
                (ended + writes)[...], after: interactiveGroup.ended.map(\.outcome),
                in: interactiveGroup.group, since: interactiveGroup.version)
        } catch {
            // The others can run again on a newer state.
            interactiveGroup.finish(failing: .storage(error))
            return writes[...]
        }
    }

    /// Waits for a short time while something waits for the open write. Writes that have waited too long are refused; interactive
    /// writes that ended before it are committed without it. Otherwise they would wait for its owner's code, which may wait for
    /// them.
    func watch() {
        let interactiveWrite = waiting.withLock { state in
            state.isWatched = true
            return state.interactive
        }
        let patience = min(refuseOverdue(), InteractiveGroup.patienceMicroseconds)
        let isWanted: Void? = waiting.wait(microseconds: patience) { $0.hasTurnWork ? () : nil }
        var overdue: InteractiveGroup?
        waiting.withLock { state in
            state.isWatched = false
            guard isWanted == nil, interactiveWrite === state.interactive, state.wantsCommit else {
                return
            }
            overdue = state.interactiveGroup.take()
        }
        if let interactiveWrite, let overdue { serve(interactiveWrite, .base, overdue) }
    }

    /// Commits the writes that ended before the open one, and reports the outcome to the open one.
    private func commitBase(
        of interactiveWrite: QueuedInteractiveWrite, _ interactiveGroup: inout InteractiveGroup
    ) {
        guard !interactiveGroup.ended.isEmpty else { return }
        commitPrefix(&interactiveGroup)
        interactiveWrite.noteBase(interactiveGroup.failure.map { .failure($0) } ?? .success(()))
    }

    /// Moves the changes of an interactive write into the engine's open transaction, which belongs to the writer's thread. The
    /// owner of the write only reads it, while this thread waits.
    ///
    /// - Returns: The failure; nil if the changes were moved.
    private func spillToEngine(
        for interactiveWrite: QueuedInteractiveWrite, _ interactiveGroup: inout InteractiveGroup
    ) -> StoreError? {
        // Otherwise the ended writes would be lost if the interactive write is cancelled.
        commitBase(of: interactiveWrite, &interactiveGroup)
        if let failure = interactiveGroup.failure { return failure }
        do throws(StorageError) {
            try moveChanges(of: interactiveGroup.group)
            interactiveWrite.transaction?.noteSpill()
        } catch { interactiveGroup.failure = .storage(error) }
        return interactiveGroup.failure
    }

    /// The changes of the writes that have ended, before the next one is open.
    private func stand(of group: CommitGroup, since version: UInt64) -> InteractiveGroup
        .CommittablePrefix?
    {
        guard group.state.version > version || group.changesUnversioned else { return nil }
        putState(group)
        return InteractiveGroup.CommittablePrefix(
            batch: memory.overlay.batch(), version: group.state.version)
    }

    /// Commits the writes that have ended, while another is open: its own changes stay in the group.
    private func commitPrefix(_ interactiveGroup: inout InteractiveGroup) {
        guard let stand = interactiveGroup.stand else { return interactiveGroup.finish() }
        let base = interactiveGroup.group.base
        do throws(StorageError) {
            try statistics.count(Int(stand.version - interactiveGroup.version)) {
                () throws(StorageError) in
                columns.note(stand.batch, commit: base + 1)
                interactiveGroup.group.base = try engine.commit(stand.batch, base: base)
            }
        } catch {
            interactiveGroup.failure = .storage(error)
            return interactiveGroup.finish(failing: .storage(error))
        }
        interactiveGroup.version = stand.version
        publisher.publish(stand.version)
        interactiveGroup.finish()
    }

    /// Refuses the writes that have waited too long, while an interactive write is open.
    ///
    /// - Returns: The microseconds after which the next write may have waited too long.
    private func refuseOverdue() -> Int {
        let patience = UInt64(min(max(0, options.interactiveWaitMilliseconds), 86_400_000))
        let now = monotonicMilliseconds()
        let (overdue, next) = waiting.withLock { state in
            let overdue = now < patience ? [] : state.writes.takeWrites(until: now - patience)
            return (overdue, (state.writes.firstArrival ?? now) + patience)
        }
        for write in overdue {
            write.finish(
                .failure(.waitedForTurn(milliseconds: options.interactiveWaitMilliseconds)))
        }
        return max(1, Int(next - now)) * 1000
    }
}

extension CommitQueue.Waiting {
    /// Whether a group of interactive writes is open in which the writer's thread does not work.
    var hasTurns: Bool { interactive != nil || interactiveGroup != nil }

    /// Whether writes that have ended wait for the one that is open.
    fileprivate var wantsCommit: Bool {
        interactive != nil && interactiveGroup?.ended.isEmpty == false
    }

    /// Whether something waits for the open write.
    var wantsDependency: Bool {
        wantsCommit || interactive != nil && interactiveGroup != nil && writes.count > 0
    }

    /// Whether the writer's thread has work in the group.
    fileprivate var hasTurnWork: Bool {
        interactiveGroup != nil && (interactive == nil || request != nil)
    }

    /// Takes the first write if no write came before it, to be opened.
    mutating func takeTurn() -> QueuedInteractiveWrite? {
        guard let interactiveWrite = writes.takeTurn() else { return nil }
        interactive = interactiveWrite
        return interactiveWrite
    }

    /// Takes the group if all its writes have ended. Another write could otherwise join it at once.
    fileprivate mutating func takeOpenGroup() -> InteractiveGroup? {
        guard interactive == nil, writes.isEmpty, interactiveGroup?.hasRoom == true else {
            return nil
        }
        return interactiveGroup.take()
    }

    /// Takes the group if the writer's thread has work in it.
    mutating func takeTurnWork() -> CommitQueue.Work? {
        guard hasTurnWork, let group = interactiveGroup.take() else { return nil }
        if let interactive, let asked = request.take() { return .serve(interactive, asked, group) }
        return .commit(group)
    }
}
