import Synchronization

/// The number of new connections that libmicrohttpd may still be handed. It is raised when libmicrohttpd has opened earlier ones.
/// Any thread.
///
/// A thread of the library opens all connections that it was handed, and takes their first requests, before it turns to the
/// others: when 9,000 streams came back at once, a GET beside them waited for up to 0.2 s. Connections that are not accepted yet
/// wait in the system's queue. Cost: an atomic operation for each connection.
final class ConnectionAllowance: Sendable {
    private let countMax: Int
    private let left: Atomic<Int>
    private let isAwaited = Atomic<Bool>(false)

    /// Creates the allowance.
    ///
    /// - `threadCount`: The number of threads that open connections.
    init(threadCount: Int) {
        countMax = 32 * threadCount
        left = Atomic(countMax)
    }

    /// Whether another connection may be handed over. If not, a later ``give()`` returns true.
    var allowsOne: Bool {
        if left.load(ordering: .relaxed) > 0 { return true }
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        // A `give()` between the two lines above did not see `isAwaited`.
        return left.load(ordering: .sequentiallyConsistent) > 0
    }

    /// Counts a connection that was handed over.
    func take() { left.wrappingSubtract(1, ordering: .relaxed) }

    /// Counts a connection that was opened, or was not handed over after all.
    ///
    /// - Returns: Whether the acceptor waits for the allowance and should continue now.
    func give() -> Bool {
        let count = left.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        // A refill has already counted this connection.
        if count > countMax { left.wrappingSubtract(1, ordering: .relaxed) }
        return count > countMax / 2 && isAwaited.load(ordering: .sequentiallyConsistent)
            && isAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Resets the allowance. It is needed because libmicrohttpd drops a connection without a call when it has no memory for it.
    func refill() { left.store(countMax, ordering: .relaxed) }
}
