import Synchronization

/// A time before which what was issued to an owner is void, and whether what it was granted for may still be done. Thread-safe.
package final class GrantHorizon: Sendable {
    private let seconds: Atomic<Int64>
    private let lowerings = Atomic<UInt64>(0)

    /// A horizon at a time, in seconds since 1970; the earliest for none.
    package init(_ seconds: Int64 = .min) { self.seconds = Atomic(seconds) }

    /// Whether what was issued at a time is void. Cost: an atomic load.
    package func isBehind(_ issued: Int64) -> Bool { issued < seconds.load(ordering: .relaxed) }

    /// How often ``lower()`` was called. Cost: an atomic load.
    var loweringCount: UInt64 { lowerings.load(ordering: .relaxed) }

    /// Ends the grants that there are: the owner's next ones are made by what holds then.
    package func lower() { lowerings.add(1, ordering: .relaxed) }

    /// Moves it.
    package func move(to seconds: Int64) { self.seconds.store(seconds, ordering: .relaxed) }
}
