import HoldfastThreads

/// A write without a request, whose outcome a thread waits for: such as that of an import's chunk.
package final class AwaitedWrite: PendingWrite {
    private let body: @Sendable (WriteTransaction) throws(StoreError) -> Void
    private let outcome = Monitor<WriteOutcome?>(nil)

    /// Makes a write; `body` may run more than once.
    package init(_ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void) {
        self.body = body
    }

    package func run(_ transaction: WriteTransaction) throws(StoreError) { try body(transaction) }

    package func finish(_ outcome: WriteOutcome) {
        self.outcome.update { $0 = outcome }
    }

    /// Waits until the write is durable or has failed.
    ///
    /// - Returns: The version that it made, or the current one if it changed nothing.
    @discardableResult
    package func wait() throws(StoreError) -> UInt64 { try outcome.wait { $0 }.get() }
}
