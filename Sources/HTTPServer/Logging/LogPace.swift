import HoldfastThreads
import Synchronization

/// Lets so many lines a second through, so that what clients cause as often as they like does not fill the log. Thread-safe.
package final class LogPace: Sendable {
    private struct State {
        var second: UInt64 = 0
        var count = 0
        /// Those that were left out since the last one that was not.
        var leftOut = 0
    }

    private let perSecond: Int
    private let state = Mutex(State())

    /// Lets so many lines a second through.
    package init(perSecond: Int) { self.perSecond = perSecond }

    /// Whether another line may be written: how many were left out before it; nil where it is left out, too.
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
