import Glibc
import HoldfastObjectModel
import HoldfastStorage
import HoldfastThreads

/// Turns that the writer's thread lends.
extension CommitQueue {
    /// Queues a turn and waits until it is lent.
    ///
    /// Where the writer's thread has nothing to do, the calling one opens the group itself, so that neither waits for the other
    /// to wake up: the writer's then waits for the turn's end alone.
    func beginTurn() throws(StoreError) -> LentTurn {
        let turn = PendingTurn()
        var refusal: StoreError?
        var opensGroup = false
        waiting.update { state in
            refusal = refusedReason(state)
            if refusal != nil { return }
            if state.writerThread == UInt(pthread_self()) || state.lent?.isLentHere == true {
                refusal = .turnIsLent
                return
            }
            opensGroup = state.isIdle
            if opensGroup { state.lent = turn }
            state.isIdle = false
            state.writes.append(turn)
        }
        if let refusal { throw refusal }
        if opensGroup {
            do {
                lend(turn, in: try openGroup(), isFirst: true)
            } catch {
                turn.finish(.failed(.storage(error)))
            }
        }
        return try LentTurn(turn)
    }

    private func lend(_ turn: PendingTurn, in group: CommitGroup, isFirst: Bool) {
        let transaction = WriteTransaction(group: group, now: Timestamp.now(), options)
        transaction.begin(options)
        turn.lend(transaction, isFirst: isFirst)
    }

    /// Lends a turn, waits for its end and commits it, with turns and writes that came meanwhile.
    ///
    /// - Returns: The writes that are taken and not done.
    func commit(_ first: PendingTurn) -> ArraySlice<any PendingWrite> {
        guard let group = open(first) else {
            waiting.withLock { $0.lent = nil }
            return []
        }
        defer { close(group) }
        var turns = TurnGroup(group)
        var turn = first
        while true {
            let outcome = awaitEnd(of: turn, &turns)
            if case .committed = outcome {
                turns.add(turn, outcome)
            } else {
                turn.finish(outcome)
            }
            guard turns.hasRoom, let next = waiting.withLock({ $0.takeTurn() }) else { break }
            if !turns.ended.isEmpty { turns.stand = stand(of: group, since: turns.version) }
            turn = next
            lend(turn, in: group, isFirst: turns.ended.isEmpty)
        }
        let hasEnded = !turns.ended.isEmpty
        let isShared = hasEnded && group.engineTransaction == nil
        let writes = waiting.withLock { state -> [any PendingWrite] in
            state.lent = nil
            return isShared ? state.writes.takeGroup(countMax: options.groupCountMax) : []
        }
        guard hasEnded else { return [] }
        do {
            return try commit(
                (turns.ended + writes)[...], after: turns.outcomes, in: group,
                since: turns.version)
        } catch {
            // The others can run again on a newer state.
            turns.finish(failing: .storage(error))
            return writes[...]
        }
    }

    /// Opens the group of a turn, unless its owner does, and lends it; nil where that fails.
    private func open(_ turn: PendingTurn) -> CommitGroup? {
        let isOpening = waiting.withLock { state in
            defer { state.lent = turn }
            return state.lent === turn
        }
        if isOpening { return turn.awaitOpened()?.group }
        do {
            let group = try openGroup()
            lend(turn, in: group, isFirst: true)
            return group
        } catch {
            turn.finish(.failed(.storage(error)))
            return nil
        }
    }

    /// Waits for the end of the turn that is lent, and makes its checks. Turns that ended before it are committed without it when
    /// they have waited long enough: they would wait for code of its owner's, which may wait for them. Or when its owner asks for it.
    private func awaitEnd(of turn: PendingTurn, _ turns: inout TurnGroup) -> WriteOutcome {
        while true {
            var patience = refuseOverdue()
            if !turns.ended.isEmpty { patience = min(patience, TurnGroup.patienceMicroseconds) }
            switch turn.awaitRequest(microseconds: patience) {
            case .commit: return conclude(turn, true, turns.failure)
            case .cancel: return conclude(turn, false, turns.failure)
            case .room: turn.answer(makeRoom(for: turn, &turns))
            case .base, nil: commitBase(of: turn, &turns)
            }
        }
    }

    /// Commits the turns that have ended before the one that is lent, and tells that.
    private func commitBase(of turn: PendingTurn, _ turns: inout TurnGroup) {
        guard !turns.ended.isEmpty else { return }
        commitStand(&turns)
        turn.noteBase(turns.failure.map { .failure($0) } ?? .success(()))
    }

    /// Hands what a turn has changed to the engine's open transaction, which belongs to the writer's thread; the turn's owner only
    /// reads it, while this thread waits.
    ///
    /// - Returns: Why that failed.
    private func makeRoom(for turn: PendingTurn, _ turns: inout TurnGroup) -> StoreError? {
        // Else they would be lost with a turn that is cancelled.
        commitBase(of: turn, &turns)
        if let failure = turns.failure { return failure }
        do throws(StorageError) {
            try moveChanges(of: turns.group)
            turn.awaitOpened()?.noteRoom()
        } catch {
            turns.failure = .storage(error)
        }
        return turns.failure
    }

    private func conclude(
        _ turn: PendingTurn, _ commits: Bool, _ failure: StoreError?
    ) -> WriteOutcome {
        guard let transaction = turn.awaitOpened() else { return .failed(.turnEnded) }
        do throws(StoreError) {
            if !commits { throw .turnEnded }
            if let failure { throw failure }
            return .committed(version: try finish(transaction))
        } catch {
            transaction.rollBack()
            return .failed(error)
        }
    }

    /// The changes of the turns that have ended, before the next one is lent.
    private func stand(of group: CommitGroup, since version: UInt64) -> TurnGroup.Stand? {
        guard group.state.version > version || group.changesUnversioned else { return nil }
        putState(group)
        return TurnGroup.Stand(batch: memory.overlay.batch(), version: group.state.version)
    }

    /// Commits the turns that have ended, while another is lent: its own changes stay in the group.
    private func commitStand(_ turns: inout TurnGroup) {
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
        publisher.publish(stand.version) { nil }
        turns.finish()
    }

    /// Refuses the writes that have waited too long, while a turn is lent.
    ///
    /// - Returns: The microseconds after which the next one may have.
    private func refuseOverdue() -> Int {
        let patience = UInt64(min(max(0, options.turnWaitMilliseconds), 86_400_000))
        let now = monotonicMilliseconds()
        let (overdue, next) = waiting.withLock { state in
            let overdue =
                now < patience ? [] : state.writes.takeWrites(until: now - patience)
            return (overdue, (state.writes.firstArrival ?? now) + patience)
        }
        for write in overdue {
            write.finish(.failed(.waitedForTurn(milliseconds: options.turnWaitMilliseconds)))
        }
        return max(1, Int(next - now)) * 1000
    }
}

extension CommitQueue.Waiting {
    /// Takes the first turn if no write came before it, to be lent.
    fileprivate mutating func takeTurn() -> PendingTurn? {
        guard let turn = writes.takeTurn() else { return nil }
        lent = turn
        return turn
    }
}
