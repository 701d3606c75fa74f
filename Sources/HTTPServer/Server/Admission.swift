import Synchronization

/// A grant, together with the work epoch that may also end the admitted request.
struct Admission: Sendable {
    let grant: Grant
    /// The epoch of the work, and its number when the work was admitted; nil if only the grant ends the admission.
    private var epoch: (WorkEpoch, number: UInt64)?

    /// Creates an admission that ends with its grant.
    init(_ grant: Grant) { self.grant = grant }

    /// Makes the admission end with the present epoch as well.
    mutating func end(with epoch: WorkEpoch) { self.epoch = (epoch, epoch.number) }

    /// Makes the admission end only with its grant.
    mutating func outliveEpochs() { epoch = nil }

    /// The reason why the admission has ended; nil while it is valid. Cost: that of ``Grant/ending``, and an atomic load.
    var ending: Grant.End? {
        if let end = grant.ending { return end }
        if let epoch, epoch.number != epoch.0.number { return .lowered }
        return nil
    }
}

/// A period in which work that was begun may go on. It ends when the next one begins. Thread-safe.
package final class WorkEpoch: Sendable {
    private let atomicNumber = Atomic<UInt64>(0)

    /// Begins the first period.
    package init() {}

    /// Begins the next period. Servers check once a second, and end requests that they admitted in earlier periods.
    package func end() { atomicNumber.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// The number of the present period.
    var number: UInt64 { atomicNumber.load(ordering: .relaxed) }
}

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
