import HoldfastThreads
import Synchronization

/// Limits log lines to a number a second, after as many at once, so that events that clients can cause at will do not fill the log. Thread-safe.
package final class LogRate: Sendable {
    private enum Line { case any }

    private let rate: Rate<Line>
    /// The number of lines that were left out since the last one that was written.
    private let leftOutCount = Atomic(0)

    /// Allows `perSecond` lines a second.
    package init(perSecond: Int) { rate = Rate(perSecond) }

    /// Decides whether another line may be written. Returns the number of lines that were left out before it; nil if this line is
    /// left out, too.
    package func pass(at nanoseconds: UInt64 = monotonicNanoseconds()) -> Int? {
        if rate.take(.any, at: nanoseconds) { return leftOutCount.exchange(0, ordering: .relaxed) }
        leftOutCount.wrappingAdd(1, ordering: .relaxed)
        return nil
    }
}
