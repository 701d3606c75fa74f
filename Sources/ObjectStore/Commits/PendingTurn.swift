import Glibc
import HoldfastThreads

/// A turn of the writer's thread, from the call that asks for it to its outcome: a write whose body is another
/// thread's. Thread-safe.
final class PendingTurn: PendingWrite {
    private enum Phase {
        case waiting
        case lent(WriteTransaction)
        case ended(commits: Bool)
        case done(WriteOutcome)
    }

    private let phase = Monitor(Phase.waiting)
    /// The thread that has asked for it.
    private let thread = UInt(pthread_self())
    private let whileLent: @Sendable () -> Int

    /// - `whileLent`: Called on the writer's thread while the turn is lent, again after as many microseconds as it
    ///   returns.
    init(whileLent: @escaping @Sendable () -> Int) { self.whileLent = whileLent }

    /// Whether it is lent to the calling thread, or was and has moved from there.
    var isLentHere: Bool {
        guard thread == UInt(pthread_self()) else { return false }
        return phase.withLock { if case .lent = $0 { true } else { false } }
    }

    // MARK: Its owner's thread

    /// Waits until the turn is lent.
    ///
    /// - Throws: ``StoreError`` where it could not be.
    func awaitTransaction() throws(StoreError) -> WriteTransaction {
        let result: Result<WriteTransaction, StoreError> = phase.wait { phase in
            switch phase {
            case .waiting, .ended, .done(.committed): nil
            case .lent(let transaction): .success(transaction)
            case .done(.failed(let error)): .failure(error)
            }
        }
        return try result.get()
    }

    /// Gives the turn back.
    func end(commits: Bool) { phase.update { $0 = .ended(commits: commits) } }

    /// Waits for what became of it.
    func awaitOutcome() -> WriteOutcome {
        phase.wait { if case .done(let outcome) = $0 { outcome } else { nil } }
    }

    // MARK: The writer's thread

    /// Lends the transaction and waits for the turn's end.
    ///
    /// - Throws: ``StoreError`` `.turnEnded` when it was cancelled.
    func run(_ transaction: WriteTransaction) throws(StoreError) {
        transaction.liftLimits()
        phase.update { $0 = .lent(transaction) }
        while true {
            let end = phase.wait(microseconds: whileLent()) { phase -> Bool? in
                if case .ended(let commits) = phase { commits } else { nil }
            }
            guard let end else { continue }
            if !end { throw .turnEnded }
            return
        }
    }

    func finish(_ outcome: WriteOutcome) { phase.update { $0 = .done(outcome) } }
}
