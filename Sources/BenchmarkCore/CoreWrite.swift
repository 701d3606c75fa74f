import HoldfastObjectStore
import HoldfastThreads

/// A write that its maker waits for.
final class CoreWrite: PendingWrite {
    private let body: @Sendable (WriteTransaction) throws(StoreError) -> Void
    private let outcome = Monitor<WriteOutcome?>(nil)

    init(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) {
        self.body = body
    }

    func run(_ transaction: WriteTransaction) throws(StoreError) { try body(transaction) }

    func finish(_ outcome: WriteOutcome) { self.outcome.update { $0 = outcome } }

    /// Waits until it is durable or has failed.
    func wait() throws(StoreError) {
        if case .failed(let error) = outcome.wait({ $0 }) { throw error }
    }
}
