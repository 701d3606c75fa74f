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
    let nanosecondsMax: UInt64
    private let clock: () -> UInt64
    private var start: UInt64?
    private var isMeasuring = false
    /// The time that was used before the present measurement.
    private var usedBefore: UInt64 = 0
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
        guard isMeasuring else { return true }
        if isSpent { return false }
        guard let start else {
            // Most evaluations never ask, and need no system call.
            self.start = clock()
            return true
        }
        isSpent = usedBefore + clock() &- start >= nanosecondsMax
        return !isSpent
    }

    /// Measures an evaluation.
    ///
    /// - `used`: What it has used of its allowance before, in nanoseconds.
    /// - `isExact`: Whether it is measured from its beginning, or from when it first asks.
    func begin(used: UInt64, isExact: Bool) {
        isMeasuring = true
        isSpent = false
        usedBefore = used
        start = isExact ? clock() : nil
    }

    /// Ends a measurement.
    ///
    /// - Returns: What the evaluation has used in all, in nanoseconds; nil where it never asked.
    func end() -> UInt64? {
        isMeasuring = false
        guard let start else { return nil }
        let used = usedBefore + clock() &- start
        if used >= nanosecondsMax { isSpent = true }
        return used
    }
}
