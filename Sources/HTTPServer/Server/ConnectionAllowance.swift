import Synchronization

/// The new connections that libmicrohttpd may still be handed: it gets more when it has opened those it has. Any thread.
///
/// A thread of the library opens all connections it was handed, and takes their first requests, before it turns to the
/// others: when 9,000 streams came back at once, a GET beside them waited for up to 0.2 s. Who waits to be accepted waits in the system's queue.
/// Cost: an atomic operation for each connection.
final class ConnectionAllowance: Sendable {
    private let countMax: Int
    private let left: Atomic<Int>
    private let isAwaited = Atomic<Bool>(false)

    /// - `threadCount`: The threads that open connections.
    init(threadCount: Int) {
        countMax = 32 * threadCount
        left = Atomic(countMax)
    }

    /// Whether one more may be handed over. If not, a later ``give()`` returns true.
    var allowsOne: Bool {
        if left.load(ordering: .relaxed) > 0 { return true }
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        // What was given between the two lines above has told nobody.
        return left.load(ordering: .sequentiallyConsistent) > 0
    }

    /// Counts one that was handed over.
    func take() { left.wrappingSubtract(1, ordering: .relaxed) }

    /// Counts one that was opened, or was not handed over after all.
    ///
    /// - Returns: Whether somebody waits for it, and it is time to go on.
    func give() -> Bool {
        let count = left.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        // One of those that a refill has counted already.
        if count > countMax { left.wrappingSubtract(1, ordering: .relaxed) }
        return count > countMax / 2 && isAwaited.load(ordering: .sequentiallyConsistent)
            && isAwaited.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Begins again: libmicrohttpd drops a connection that it has no memory for without a call.
    func refill() { left.store(countMax, ordering: .relaxed) }
}
