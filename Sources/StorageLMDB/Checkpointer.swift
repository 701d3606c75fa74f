import HoldfastStorage
import HoldfastThreads

/// Requests a checkpoint when there is enough to write, or some time after the first commit that waits for one.
///
/// A checkpoint that fails is tried again; until it succeeds the changes stay in the journal.
final class Checkpointer: Sendable {
    private struct State {
        var isRunning = false
        /// Whether a commit has come since the thread began the last checkpoint.
        var isExpected = false
        /// Whether the next checkpoint begins without more delay.
        var isUrgent = false
        var isStopped = false
        /// The number of checkpoints that have given the next commits an empty file.
        var freezeCount = 0
        /// The number of writers that wait for an empty file.
        var waiterCount = 0
        /// The error of the last checkpoint, if it failed.
        var failure: StorageError?
        /// The handlers that are called when a checkpoint fails.
        var observers: [@Sendable (StorageError) -> Void] = []
    }

    /// The pause after a failed checkpoint.
    private static let retryMicroseconds = 1_000_000

    /// The time that a commit waits for a checkpoint.
    private let delayMilliseconds: Int
    private let state = Monitor(State())

    init(delayMilliseconds: Int) { self.delayMilliseconds = delayMilliseconds }

    /// Makes sure that `environment` has a checkpoint soon, or now. Cost: a lock.
    func expectCheckpoint(of environment: LMDBEnvironment, now isUrgent: Bool) {
        var starts = false
        state.signal { state in
            if state.isStopped { return false }
            let wakes = !state.isExpected || (isUrgent && !state.isUrgent)
            state.isExpected = true
            if isUrgent { state.isUrgent = true }
            starts = !state.isRunning
            state.isRunning = true
            return wakes
        }
        if starts { startThread(named: "checkpoints") { self.run(environment) } }
    }

    /// The number of checkpoints that have given the next commits an empty file. Cost: a lock.
    var freezeCount: Int { state.withLock { $0.freezeCount } }

    /// Notes that a checkpoint has given the next commits an empty file.
    func noteFreeze() { state.update { state in state.freezeCount += 1 } }

    /// Waits until ``freezeCount`` has gone beyond `count`, and begins a checkpoint for it without delay. Returns at once if the
    /// last checkpoint failed, because the next may fail too.
    func awaitFreeze(after count: Int) {
        state.update { state in state.waiterCount += 1 }
        state.wait { $0.freezeCount != count || $0.isStopped || $0.failure != nil ? () : nil }
        state.withLock { $0.waiterCount -= 1 }
    }

    /// Calls `handler` when a checkpoint fails, once for successive failures with the same code.
    func observeFailures(_ handler: @escaping @Sendable (StorageError) -> Void) {
        state.withLock { $0.observers.append(handler) }
    }

    /// Ends the thread, after the checkpoint that is under way.
    func stop() {
        state.update { state in state.isStopped = true }
        state.wait { $0.isRunning ? nil : () }
    }

    private func run(_ environment: LMDBEnvironment) {
        while let isUrgent = nextCheckpoint() {
            do throws(StorageError) {
                // An urgent checkpoint is followed by a normal one, which finds out whether the store is idle.
                if try environment.checkpoint() || isUrgent {
                    expectAnother()
                } else {
                    try environment.shrinkJournal()
                }
                state.withLock { $0.failure = nil }
            } catch {
                tell(error)
                _ = state.wait(microseconds: Self.retryMicroseconds) { $0.isStopped ? () : nil }
                expectAnother()
            }
        }
        state.update { state in state.isRunning = false }
    }

    /// Notes that a checkpoint has failed, and reports it to the observers.
    func tell(_ error: StorageError) {
        var observers: [@Sendable (StorageError) -> Void] = []
        state.update { state in
            if state.failure?.code != error.code { observers = state.observers }
            state.failure = error
        }
        for observer in observers { observer(error) }
    }

    private func expectAnother() { state.withLock { $0.isExpected = true } }

    /// Waits until a checkpoint is due.
    ///
    /// - Returns: Whether it is urgent; nil if the thread is to end.
    private func nextCheckpoint() -> Bool? {
        state.wait { $0.isStopped || $0.isExpected || $0.waiterCount > 0 ? () : nil }
        _ = state.wait(microseconds: delayMilliseconds * 1000) {
            $0.isStopped || $0.isUrgent || $0.waiterCount > 0 ? () : nil
        }
        return state.withLock { state in
            let isUrgent = state.isUrgent
            state.isExpected = false
            state.isUrgent = false
            return state.isStopped ? nil : isUrgent
        }
    }
}
