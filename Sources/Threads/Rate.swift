import Synchronization

/// Limits how often something happens for each key: so many times in a period, and as many at once. Thread-safe.
package final class Rate<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// The time of each key's last event if its events came evenly, in nanoseconds. Times in the past have no effect.
        var due: [Key: UInt64] = [:]
        /// The number of keys at which inactive keys are removed.
        var sweepCount = 1024
    }

    private let period: UInt64
    private let interval: UInt64
    private let state = Mutex(State())

    /// Allows `count` events, at least one, in a period of some nanoseconds.
    package init(_ count: Int, in period: UInt64 = 1_000_000_000) {
        self.period = period
        interval = period / UInt64(max(count, 1))
    }

    /// Counts an event. Returns false if it is one too many, and does not count it then. Cost: a look-up.
    package func take(_ key: Key, at now: UInt64 = monotonicNanoseconds()) -> Bool {
        state.withLock { state in
            let due = max(state.due[key] ?? 0, now) + interval
            if due > now + max(period, interval) { return false }
            state.due[key] = due
            if state.due.count > state.sweepCount {
                state.due = state.due.filter { $0.value > now }
                state.sweepCount = max(1024, 2 * state.due.count)
            }
            return true
        }
    }

    /// The number of keys that are known.
    package var keyCount: Int { state.withLock { $0.due.count } }
}
