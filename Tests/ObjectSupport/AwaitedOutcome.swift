import HoldfastObjectStore
import HoldfastThreads

/// The outcome of a write, for a thread that waits for it.
final class AwaitedOutcome: Sendable {
    private let outcome = Monitor<WriteOutcome?>(nil)

    /// Lets those who wait go on.
    func set(_ outcome: WriteOutcome) {
        self.outcome.signal {
            $0 = outcome
            return true
        }
    }

    /// Waits for the outcome and returns the version.
    func version() throws(StoreError) -> UInt64 { try outcome.wait { $0 }.get() }
}
