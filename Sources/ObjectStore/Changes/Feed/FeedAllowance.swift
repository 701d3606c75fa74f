import HoldfastRows
import HoldfastThreads

/// The time of the feed's thread that one filter may use in a step, or one arriving stream. Beyond it a worker continues, so that
/// no filter holds up the events of others.
///
/// It is the turn of the present evaluation, which asks it at each look at the clock. Processor time counts, so that no filter is
/// deferred because the thread waits for its core. On the feed's thread.
package final class FeedAllowance: TimeSlice, @unchecked Sendable {
    // Unchecked: it is used only on the feed's thread.

    /// The allowance in nanoseconds of processor time.
    let nanosecondsMax: UInt64
    private let clock: () -> UInt64
    private var start: UInt64?
    private var isMeasuring = false
    /// The time that was used before the present measurement.
    private var usedBefore: UInt64 = 0
    /// Whether the present measurement has used the whole allowance.
    private(set) var isSpent = false

    /// Allows a time.
    ///
    /// - `clock`: Returns the nanoseconds that the thread has used.
    package init(
        milliseconds: UInt64 = FeedAllowance.milliseconds,
        clock: @escaping () -> UInt64 = threadNanoseconds
    ) {
        nanosecondsMax = milliseconds * 1_000_000
        self.clock = clock
    }

    /// The milliseconds that a filter may use in a step.
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
    /// - `used`: The nanoseconds of its allowance that it has already used.
    /// - `isExact`: Whether it is measured from its beginning, and not from its first look at the clock.
    func begin(used: UInt64, isExact: Bool) {
        isMeasuring = true
        isSpent = false
        usedBefore = used
        start = isExact ? clock() : nil
    }

    /// Ends a measurement.
    ///
    /// - Returns: The nanoseconds that the evaluation has used in all; nil if it never looked at the clock.
    func end() -> UInt64? {
        isMeasuring = false
        guard let start else { return nil }
        let used = usedBefore + clock() &- start
        if used >= nanosecondsMax { isSpent = true }
        return used
    }
}
