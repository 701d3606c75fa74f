import Glibc
import HoldfastObjectStore
import HoldfastThreads

/// Calls back when the store has a version, or when the time for that is over.
///
/// One thread of its own keeps the time; no other thread waits. Thread-safe.
package final class VersionWaiter: Sendable {
    private struct Waiting {
        var version: UInt64
        /// In nanoseconds of the monotonic clock.
        var deadline: UInt64
        var body: @Sendable (Bool) -> Void
    }

    /// The waiting requests, behind the lock.
    private struct State {
        var waiting: [Waiting] = []
        var isStopping = false

        var nextDeadline: UInt64? { waiting.map(\.deadline).min() }
    }

    /// Outlives the waiter until its thread has ended.
    private let state = Monitor(State())
    private let publisher: CommitPublisher

    /// Makes a waiter for the versions of `publisher`.
    package init(_ publisher: CommitPublisher) {
        self.publisher = publisher
        publisher.observe { [state] version in
            Self.callBack(state, isReached: true) { $0.version <= version }
        }
        startThread(named: "min-version") { [state] in Self.keepTime(state) }
    }

    /// Removes the waiters for which `isOver` returns true, and calls them back.
    private static func callBack(
        _ state: Monitor<State>, isReached: Bool, _ isOver: (Waiting) -> Bool
    ) {
        let over = state.withLock { state in
            if state.waiting.isEmpty { return [] as [Waiting] }
            let over = state.waiting.filter(isOver)
            state.waiting.removeAll(where: isOver)
            return over
        }
        for waiting in over { waiting.body(isReached) }
    }

    /// Calls `body` once: with true as soon as the store has `version`, with false after `seconds` or when the service stops. It
    /// runs on the thread of the writer, of the time, or the caller's, and must not block.
    package func wait(
        for version: UInt64, seconds: Int, _ body: @escaping @Sendable (_ isReached: Bool) -> Void
    ) {
        if publisher.version >= version { return body(true) }
        let deadline = monotonicNanoseconds() + UInt64(max(0, seconds)) * 1_000_000_000
        var isTaken = false
        state.update { state in
            guard !state.isStopping else { return }
            state.waiting.append(Waiting(version: version, deadline: deadline, body: body))
            isTaken = true
        }
        guard isTaken else { return body(false) }
        // The commit may have come between the first look and the entry.
        let newest = publisher.version
        Self.callBack(state, isReached: true) { $0.version <= newest }
    }

    /// Calls everybody back and ends the thread.
    package func stop() {
        state.update { $0.isStopping = true }
        Self.callBack(state, isReached: false) { _ in true }
    }

    deinit { stop() }

    private static func keepTime(_ state: Monitor<State>) {
        while true {
            if let next = state.withLock({ $0.nextDeadline }) {
                let present = monotonicNanoseconds()
                let microseconds = next > present ? (next - present) / 1000 + 1 : 0
                _ = state.wait(microseconds: Int(clamping: microseconds)) { state in
                    state.isStopping || state.nextDeadline != next ? () : nil
                }
            } else {
                state.wait { $0.isStopping || !$0.waiting.isEmpty ? () : nil }
            }
            let isStopping = state.withLock { $0.isStopping }
            let present = monotonicNanoseconds()
            callBack(state, isReached: false) { $0.deadline <= present }
            if isStopping { return }
        }
    }
}
