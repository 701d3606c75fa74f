import Synchronization

/// A time in which work that was begun may go on: it ends with the next one. Thread-safe.
package final class WorkEpoch: Sendable {
    private let atomicNumber = Atomic<UInt64>(0)

    /// Begins the first.
    package init() {}

    /// Begins the next one. Servers, which look once a second, end what they admitted in those before.
    package func end() { atomicNumber.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// The number of the present one.
    var number: UInt64 { atomicNumber.load(ordering: .relaxed) }
}
