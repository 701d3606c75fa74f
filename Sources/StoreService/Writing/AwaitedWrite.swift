import HoldfastObjectJSON
import HoldfastObjectStore
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
    package func wait() throws(StoreError) -> UInt64 {
        switch outcome.wait({ $0 }) {
        case .failed(let error): throw error
        case .committed(let version): return version
        }
    }

    /// Makes a write of a store and waits until it is durable.
    ///
    /// - `fault`: Makes what the caller is told of a failure of the store.
    /// - Throws: ``RequestFault`` that `body` refused the write with, or of the failure.
    package static func run(
        in store: Store, _ fault: (StoreError) -> RequestFault,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) throws(RequestFault) {
        let write = AwaitedWrite(body)
        store.submit(write)
        do throws(StoreError) {
            try write.wait()
        } catch {
            if case .refused(let refusal as RequestFault) = error { throw refusal }
            throw fault(error)
        }
    }
}
