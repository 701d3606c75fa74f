import Glibc
import HoldfastThreads
import Synchronization

/// A turn of the writer's, from the call that asks for it to its outcome: a write whose body is another thread's.
/// Thread-safe.
final class PendingTurn: PendingWrite {
    private struct State {
        /// What is lent; nil before.
        var transaction: WriteTransaction?
        /// Whether its owner wants its changes; nil before its end.
        var commits: Bool?
        var outcome: WriteOutcome?
    }

    private let state = Monitor(State())
    /// Called once on the writer's thread, when it is known what became of the turn.
    private let done = Mutex<(@Sendable () -> Void)?>(nil)
    /// The thread that has asked for it.
    private let thread = UInt(pthread_self())

    /// Whether it is lent to the calling thread, or was and has moved from there.
    var isLentHere: Bool {
        guard thread == UInt(pthread_self()) else { return false }
        return state.withLock {
            $0.transaction != nil && $0.commits == nil && $0.outcome == nil
        }
    }

    /// Lends the transaction to its owner.
    func lend(_ transaction: WriteTransaction) {
        transaction.liftLimits()
        state.update { $0.transaction = transaction }
    }

    // MARK: Its owner's thread

    /// Waits until the turn is lent.
    ///
    /// - Throws: ``StoreError`` where it could not be.
    func awaitTransaction() throws(StoreError) -> WriteTransaction {
        let result: Result<WriteTransaction, StoreError> = state.wait { state in
            if case .failed(let error) = state.outcome { return .failure(error) }
            return state.transaction.map { .success($0) }
        }
        return try result.get()
    }

    /// Gives the turn back; `done` is called when it is known what became of it, on the writer's thread.
    func end(commits: Bool, _ done: (@Sendable () -> Void)?) {
        self.done.withLock { $0 = done }
        state.update { $0.commits = commits }
    }

    /// Waits for what became of it.
    func awaitOutcome() -> WriteOutcome { state.wait { $0.outcome } }

    // MARK: The writer's thread

    /// Waits for what its owner has opened itself; nil where nothing could be.
    func awaitOpened() -> WriteTransaction? {
        state.wait { state in
            state.outcome == nil ? state.transaction.map { .some($0) } : .some(nil)
        }
    }

    /// Waits for its end; nil when the time is over.
    func awaitEnd(microseconds: Int) -> Bool? {
        state.wait(microseconds: microseconds) { $0.commits }
    }

    /// Never called: its owner has made its changes, once and for all.
    func run(_ transaction: WriteTransaction) throws(StoreError) { throw .turnEnded }

    func finish(_ outcome: WriteOutcome) {
        state.update { $0.outcome = outcome }
        done.withLock { $0.take() }?()
    }
}
