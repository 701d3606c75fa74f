import Synchronization

/// A time before which what was issued to an owner is void. Thread-safe.
package final class GrantHorizon: Sendable {
    private let seconds: Atomic<Int64>

    /// A horizon at a time, in seconds since 1970; the earliest for none.
    package init(_ seconds: Int64 = .min) { self.seconds = Atomic(seconds) }

    /// Whether a token that was issued at a time is void. Cost: an atomic load.
    package func isBehind(_ issued: Int64) -> Bool { issued < seconds.load(ordering: .relaxed) }

    /// Moves it.
    package func move(to seconds: Int64) { self.seconds.store(seconds, ordering: .relaxed) }
}
