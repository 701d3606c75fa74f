import Glibc
import HoldfastObjectModel
import HoldfastStorage
import HoldfastThreads

/// Turns that the writer's thread lends.
extension CommitQueue {
    /// Queues a turn and waits until it is lent.
    func beginTurn() throws(StoreError) -> LentTurn {
        let turn = PendingTurn { [self] in refuseOverdue() }
        var refusal: StoreError?
        waiting.update { state in
            refusal = refusedReason(state)
            if refusal != nil { return }
            if state.writerThread == UInt(pthread_self()) || state.lent?.isLentHere == true {
                refusal = .turnIsLent
            } else {
                state.writes.append(turn)
            }
        }
        if let refusal { throw refusal }
        return try LentTurn(turn)
    }

    /// Lends a turn, waits for its end and commits it, with writes that came meanwhile.
    ///
    /// - Returns: The writes that are taken and not done.
    func commit(_ turn: PendingTurn) -> ArraySlice<any PendingWrite> {
        let group: CommitGroup
        do { group = try openGroup() } catch {
            turn.finish(.failed(.storage(error)))
            return []
        }
        defer { close(group) }
        let firstVersion = group.state.version
        waiting.withLock { $0.lent = turn }
        let outcome = run(
            turn, WriteTransaction(group: group, now: Timestamp.now(), options), isOnce: true)
        let writes = waiting.withLock { state -> [any PendingWrite] in
            state.lent = nil
            guard case .committed = outcome else { return [] }
            return state.writes.takeGroup(countMax: options.groupCountMax)
        }
        guard case .committed = outcome else {
            turn.finish(outcome)
            return []
        }
        do {
            return try commit(
                ([turn] + writes)[...], after: [outcome], in: group, since: firstVersion)
        } catch {
            // The others can run again on a newer state.
            turn.finish(.failed(.storage(error)))
            return writes[...]
        }
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
