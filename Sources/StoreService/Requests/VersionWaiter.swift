import Glibc
import ObjectStore
import Synchronization
import Threads

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
        var isRunning = false

        var nextDeadline: UInt64? { waiting.map(\.deadline).min() }
    }

    /// What the threads share; outlives the waiter until its thread has ended.
    private final class Shared: Sendable {
        let state = Monitor(State())
        /// The lowest version that is waited for, so that a commit sees at once that none is. Changed
        /// with the lock held.
        let lowest = Atomic<UInt64>(.max)

        /// Takes out what `isOver` says.
        func take(_ isOver: (Waiting) -> Bool) -> [Waiting] {
            state.withLock { state in
                let over = state.waiting.filter(isOver)
                if !over.isEmpty { state.waiting.removeAll(where: isOver) }
                lowest.store(
                    state.waiting.map(\.version).min() ?? .max, ordering: .sequentiallyConsistent)
                return over
            }
        }
    }

    private let shared = Shared()
    private let publisher: CommitPublisher

    /// Makes a waiter for the versions of `publisher`.
    package init(_ publisher: CommitPublisher) {
        self.publisher = publisher
        let shared = self.shared
        publisher.observe { version in
            guard version >= shared.lowest.load(ordering: .sequentiallyConsistent) else { return }
            for waiting in shared.take({ $0.version <= version }) { waiting.body(true) }
        }
    }

    /// Calls `body` once: with true as soon as the store has `version`, with false after `seconds` or
    /// when the service stops. It runs on the thread of the writer, of the time, or the caller's, and
    /// must not block.
    package func wait(
        for version: UInt64, seconds: Int, _ body: @escaping @Sendable (_ isReached: Bool) -> Void
    ) {
        if publisher.version >= version { return body(true) }
        let deadline = monotonicNanoseconds() + UInt64(max(0, seconds)) * 1_000_000_000
        var isTaken = false
        var starts = false
        shared.state.signal { state in
            guard !state.isStopping else { return false }
            state.waiting.append(Waiting(version: version, deadline: deadline, body: body))
            shared.lowest.store(
                min(shared.lowest.load(ordering: .relaxed), version),
                ordering: .sequentiallyConsistent)
            isTaken = true
            starts = !state.isRunning
            state.isRunning = true
            return true
        }
        guard isTaken else { return body(false) }
        if starts, !startThreadIfPossible({ [shared] in Self.keepTime(shared) }) {
            shared.state.withLock { $0.isRunning = false }
            for waiting in shared.take({ _ in true }) { waiting.body(false) }
            return
        }
        // The commit may have come between the first look and the entry.
        let newest = publisher.version
        guard newest >= version else { return }
        for waiting in shared.take({ $0.version <= newest }) { waiting.body(true) }
    }

    /// Calls everybody back and ends the thread.
    package func stop() {
        shared.state.signal { state in
            state.isStopping = true
            return true
        }
        for waiting in shared.take({ _ in true }) { waiting.body(false) }
    }

    deinit { stop() }

    private static func keepTime(_ shared: Shared) {
        while true {
            if let next = shared.state.withLock({ $0.nextDeadline }) {
                let present = monotonicNanoseconds()
                let microseconds = next > present ? (next - present) / 1000 + 1 : 0
                _ = shared.state.wait(microseconds: Int(clamping: microseconds)) { state in
                    state.isStopping || state.nextDeadline != next ? () : nil
                }
            } else {
                shared.state.wait { $0.isStopping || !$0.waiting.isEmpty ? () : nil }
            }
            let isStopping = shared.state.withLock { $0.isStopping }
            let present = monotonicNanoseconds()
            for waiting in shared.take({ $0.deadline <= present }) { waiting.body(false) }
            if isStopping { return }
        }
    }
}
