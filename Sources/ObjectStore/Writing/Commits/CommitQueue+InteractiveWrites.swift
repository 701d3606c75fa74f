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
        let turn = QueuedInteractiveWrite()
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
                state.interactive = turn
            } else {
                state.writes.append(turn)
            }
        }
        if let refusal { throw refusal }
        if opensGroup { open(turn) }
        if let joined { handOver(turn, in: joined) }
        return InteractiveWrite(turn, try turn.awaitTransaction(), self)
    }

    /// Ends the open write.
    func end(_ turn: QueuedInteractiveWrite, commits: Bool) {
        var taken: InteractiveGroup?
        waiting.signal { state in
            // The engine's transaction is the writer's thread's.
            if state.turns?.group.engineTransaction == nil { taken = state.turns.take() }
            if taken != nil { return false }
            state.request = .end(commits: commits)
            return true
        }
        if let taken { conclude(turn, commits, in: taken) }
    }

    /// Sends a request for the open write to the writer's thread.
    func ask(_ request: InteractiveGroup.Request) { waiting.update { $0.request = request } }

    // MARK: Any thread that has taken the group

    /// Opens the group of the next write, and opens the write.
    func open(_ turn: QueuedInteractiveWrite) {
        do {
            handOver(turn, in: InteractiveGroup(try openGroup()))
        } catch {
            waiting.update { $0.interactive = nil }
            turn.finish(.failure(.storage(error)))
        }
    }

    /// Opens a write and leaves its group.
    private func handOver(_ turn: QueuedInteractiveWrite, in group: InteractiveGroup) {
        var turns = group
        let isFirst = turns.ended.isEmpty
        if !isFirst { turns.stand = stand(of: turns.group, since: turns.version) }
        let transaction = WriteTransaction(group: turns.group, now: Timestamp.now(), options)
        transaction.begin(options)
        // Its owner may end it at once, and then takes the group.
        leave(turns)
        turn.handOver(transaction, isFirst: isFirst)
    }

    private func leave(_ turns: InteractiveGroup) {
        waiting.signal { state in
            state.turns = turns
            return state.hasTurnWork || state.wantsDependency && !state.isWatched
        }
    }

    /// Makes the checks at the end of the open write, and opens the next one or has the group committed.
    private func conclude(
        _ turn: QueuedInteractiveWrite, _ commits: Bool, in group: InteractiveGroup
    ) {
        var turns = group
        let outcome = outcome(of: turn, commits, turns.failure)
        if case .success = outcome { turns.ended.append((turn, outcome)) }
        let ended = turns
        var next: QueuedInteractiveWrite?
        waiting.signal { state in
            state.request = nil
            state.interactive = nil
            next = ended.hasRoom ? state.takeTurn() : nil
            if next != nil { return false }
            state.turns = ended
            return true
        }
        if let next { handOver(next, in: ended) }
        if case .failure = outcome { turn.finish(outcome) }
    }

    private func outcome(
        of turn: QueuedInteractiveWrite, _ commits: Bool, _ failure: StoreError?
    ) -> WriteOutcome {
        guard let transaction = turn.transaction else { return .failure(.interactiveWriteEnded) }
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
        _ turn: QueuedInteractiveWrite, _ request: InteractiveGroup.Request,
        _ group: InteractiveGroup
    ) {
        var turns = group
        switch request {
        case .end(let commits): conclude(turn, commits, in: turns)
        case .base:
            commitBase(of: turn, &turns)
            leave(turns)
        case .room:
            let failure = spillToEngine(for: turn, &turns)
            leave(turns)
            turn.answer(failure)
        }
    }

    /// Commits writes that have ended, with writes that came meanwhile.
    ///
    /// - Returns: The writes that are taken and not done.
    func commit(_ group: InteractiveGroup) -> ArraySlice<any PendingWrite> {
        var turns = group
        defer { close(turns.group) }
        guard !turns.ended.isEmpty else { return [] }
        let writes =
            turns.group.engineTransaction == nil
            ? waiting.withLock { $0.writes.takeGroup(countMax: options.groupCountMax) } : []
        do {
            let ended = turns.ended.map { $0.turn as any PendingWrite }
            return try commit(
                (ended + writes)[...], after: turns.ended.map(\.outcome), in: turns.group,
                since: turns.version)
        } catch {
            // The others can run again on a newer state.
            turns.finish(failing: .storage(error))
            return writes[...]
        }
    }

    /// Waits for a short time while something waits for the open write. Writes that have waited too long are refused; interactive
    /// writes that ended before it are committed without it. Otherwise they would wait for its owner's code, which may wait for
    /// them.
    func watch() {
        let turn = waiting.withLock { state in
            state.isWatched = true
            return state.interactive
        }
        let patience = min(refuseOverdue(), InteractiveGroup.patienceMicroseconds)
        let isWanted: Void? = waiting.wait(microseconds: patience) { $0.hasTurnWork ? () : nil }
        var overdue: InteractiveGroup?
        waiting.withLock { state in
            state.isWatched = false
            guard isWanted == nil, turn === state.interactive, state.wantsCommit else { return }
            overdue = state.turns.take()
        }
        if let turn, let overdue { serve(turn, .base, overdue) }
    }

    /// Commits the writes that ended before the open one, and reports the outcome to the open one.
    private func commitBase(of turn: QueuedInteractiveWrite, _ turns: inout InteractiveGroup) {
        guard !turns.ended.isEmpty else { return }
        commitPrefix(&turns)
        turn.noteBase(turns.failure.map { .failure($0) } ?? .success(()))
    }

    /// Moves the changes of an interactive write into the engine's open transaction, which belongs to the writer's thread. The
    /// owner of the write only reads it, while this thread waits.
    ///
    /// - Returns: The failure; nil if the changes were moved.
    private func spillToEngine(for turn: QueuedInteractiveWrite, _ turns: inout InteractiveGroup)
        -> StoreError?
    {
        // Otherwise the ended writes would be lost if the interactive write is cancelled.
        commitBase(of: turn, &turns)
        if let failure = turns.failure { return failure }
        do throws(StorageError) {
            try moveChanges(of: turns.group)
            turn.transaction?.noteSpill()
        } catch {
            turns.failure = .storage(error)
        }
        return turns.failure
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
    private func commitPrefix(_ turns: inout InteractiveGroup) {
        guard let stand = turns.stand else { return turns.finish() }
        let base = turns.group.base
        do throws(StorageError) {
            try statistics.count(Int(stand.version - turns.version)) { () throws(StorageError) in
                columns.note(stand.batch, commit: base + 1)
                turns.group.base = try engine.commit(stand.batch, base: base)
            }
        } catch {
            turns.failure = .storage(error)
            return turns.finish(failing: .storage(error))
        }
        turns.version = stand.version
        publisher.publish(stand.version)
        turns.finish()
    }

    /// Refuses the writes that have waited too long, while an interactive write is open.
    ///
    /// - Returns: The microseconds after which the next write may have waited too long.
    private func refuseOverdue() -> Int {
        let patience = UInt64(min(max(0, options.interactiveWaitMilliseconds), 86_400_000))
        let now = monotonicMilliseconds()
        let (overdue, next) = waiting.withLock { state in
            let overdue =
                now < patience ? [] : state.writes.takeWrites(until: now - patience)
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
    var hasTurns: Bool { interactive != nil || turns != nil }

    /// Whether writes that have ended wait for the one that is open.
    fileprivate var wantsCommit: Bool { interactive != nil && turns?.ended.isEmpty == false }

    /// Whether something waits for the open write.
    var wantsDependency: Bool {
        wantsCommit || interactive != nil && turns != nil && writes.count > 0
    }

    /// Whether the writer's thread has work in the group.
    fileprivate var hasTurnWork: Bool { turns != nil && (interactive == nil || request != nil) }

    /// Takes the first write if no write came before it, to be opened.
    mutating func takeTurn() -> QueuedInteractiveWrite? {
        guard let turn = writes.takeTurn() else { return nil }
        interactive = turn
        return turn
    }

    /// Takes the group if all its writes have ended. Another write could otherwise join it at once.
    fileprivate mutating func takeOpenGroup() -> InteractiveGroup? {
        guard interactive == nil, writes.isEmpty, turns?.hasRoom == true else { return nil }
        return turns.take()
    }

    /// Takes the group if the writer's thread has work in it.
    mutating func takeTurnWork() -> CommitQueue.Work? {
        guard hasTurnWork, let group = turns.take() else { return nil }
        if let interactive, let asked = request.take() { return .serve(interactive, asked, group) }
        return .commit(group)
    }
}
