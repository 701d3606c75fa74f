import HoldfastThreads
import Synchronization

/// Limits log lines to a number per second, so that events that clients can cause at will do not fill the log. Thread-safe.
package final class LogPace: Sendable {
    private struct State {
        var second: UInt64 = 0
        var count = 0
        /// The number of lines that were left out since the last one that was written.
        var leftOut = 0
    }

    private let perSecond: Int
    private let state = Mutex(State())

    /// Allows `perSecond` lines a second.
    package init(perSecond: Int) { self.perSecond = perSecond }

    /// Decides whether another line may be written. Returns the number of lines that were left out before it; nil if this line is
    /// left out, too.
    package func pass(at milliseconds: UInt64 = monotonicMilliseconds()) -> Int? {
        state.withLock { state in
            let second = milliseconds / 1000
            if state.second != second { (state.second, state.count) = (second, 0) }
            guard state.count < perSecond else {
                state.leftOut += 1
                return nil
            }
            state.count += 1
            defer { state.leftOut = 0 }
            return state.leftOut
        }
    }
}
