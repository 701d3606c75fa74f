import HoldfastObjectStore
import HoldfastThreads

/// Keeps the writer busy until it is opened, so that the writes handed in meanwhile form a group.
package final class WriterGate: PendingWrite {
    private let isOpen = Monitor(false)
    private let hasStarted = Monitor(false)

    /// Makes a closed gate.
    package init() {}

    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        hasStarted.update { $0 = true }
        isOpen.wait { $0 ? () : nil }
    }

    package func finish(_ outcome: WriteOutcome) {}

    /// Waits until the writer is there.
    package func waitUntilReached() { hasStarted.wait { $0 ? () : nil } }

    /// Lets the writer go on.
    package func open() {
        isOpen.update { $0 = true }
    }
}
