import HoldfastRows
import HoldfastThreads

/// The time of the feed's thread that one filter may use in a step, and one stream that arrives: beyond it a worker
/// goes on, so that no filter holds up the events of others.
///
/// It is the turn of what is evaluated meanwhile, which asks it at each look at the clock. Processor time counts, so
/// that no filter is deferred for a thread that waits for its core. On the feed's thread.
package final class FeedAllowance: EvaluationTurn, @unchecked Sendable {
    // Unchecked: the feed's thread alone uses it.

    /// Nanoseconds of processor time.
    private let nanosecondsMax: UInt64
    private let clock: () -> UInt64
    /// When what is measured would have begun in one piece; nil while nothing is.
    private var start: UInt64?
    /// Whether the present measurement has used all of it.
    private(set) var isSpent = false

    /// Allows a time.
    ///
    /// - `clock`: Nanoseconds that the thread has used.
    package init(
        milliseconds: UInt64 = FeedAllowance.milliseconds,
        clock: @escaping () -> UInt64 = threadNanoseconds
    ) {
        nanosecondsMax = milliseconds * 1_000_000
        self.clock = clock
    }

    /// Milliseconds that a filter may use in a step.
    package static let milliseconds: UInt64 = 5

    package let isAlone = false

    package func mayContinue() -> Bool {
        guard let start else { return true }
        if isSpent { return false }
        isSpent = clock() &- start >= nanosecondsMax
        return !isSpent
    }

    /// Measures an evaluation.
    ///
    /// - `used`: What it has used of its allowance before, in nanoseconds.
    func begin(used: UInt64 = 0) {
        isSpent = false
        start = clock() &- used
    }

    /// Ends a measurement.
    ///
    /// - Returns: What the evaluation has used in all, in nanoseconds.
    func end() -> UInt64 {
        guard let start else { return 0 }
        self.start = nil
        let used = clock() &- start
        if used >= nanosecondsMax { isSpent = true }
        return used
    }
}
