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

    /// What the threads share; outlives the waiter until its thread has ended.
    private final class Shared: @unchecked Sendable {
        // Unchecked: `waiting`, `isStopping` and `isRunning` are touched with the lock held.
        let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        /// The lowest version that is waited for, so that a commit sees at once that none is.
        let lowest = Atomic<UInt64>(.max)
        var waiting: [Waiting] = []
        var isStopping = false
        var isRunning = false

        init() {
            pthread_mutex_init(lock, nil)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        }

        deinit {
            pthread_cond_destroy(condition)
            pthread_mutex_destroy(lock)
            condition.deallocate()
            lock.deallocate()
        }

        func withLock<Result>(_ body: () -> Result) -> Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return body()
        }

        /// Takes out what `isOver` says. With the lock held.
        func take(_ isOver: (Waiting) -> Bool) -> [Waiting] {
            let over = waiting.filter(isOver)
            if !over.isEmpty { waiting.removeAll(where: isOver) }
            lowest.store(waiting.map(\.version).min() ?? .max, ordering: .sequentiallyConsistent)
            return over
        }
    }

    private let shared = Shared()
    private let publisher: CommitPublisher

    /// Makes a waiter for the versions that `publisher` tells of.
    package init(_ publisher: CommitPublisher) {
        self.publisher = publisher
        let shared = self.shared
        publisher.observe { version in
            guard version >= shared.lowest.load(ordering: .sequentiallyConsistent) else { return }
            let reached = shared.withLock { shared.take { $0.version <= version } }
            for waiting in reached { waiting.body(true) }
        }
    }

    /// Calls `body` once: with true as soon as the store has `version`, with false after `seconds` or
    /// when the service stops. It runs on the thread of the writer, of the time, or the caller's, and
    /// must not block.
    package func wait(
        for version: UInt64, seconds: Int, _ body: @escaping @Sendable (_ isReached: Bool) -> Void
    ) {
        if publisher.version >= version { return body(true) }
        let deadline = Self.now() + UInt64(max(0, seconds)) * 1_000_000_000
        let isTaken = shared.withLock {
            guard !shared.isStopping else { return false }
            shared.waiting.append(Waiting(version: version, deadline: deadline, body: body))
            shared.lowest.store(
                min(shared.lowest.load(ordering: .relaxed), version),
                ordering: .sequentiallyConsistent)
            if !shared.isRunning {
                shared.isRunning = true
                let shared = self.shared
                startThread { Self.keepTime(shared) }
            }
            return true
        }
        guard isTaken else { return body(false) }
        pthread_cond_signal(shared.condition)
        // The commit may have come between the first look and the entry.
        let newest = publisher.version
        guard newest >= version else { return }
        let reached = shared.withLock { shared.take { $0.version <= newest } }
        for waiting in reached { waiting.body(true) }
    }

    /// Calls everybody back and ends the thread.
    package func stop() {
        let left = shared.withLock {
            shared.isStopping = true
            return shared.take { _ in true }
        }
        pthread_cond_signal(shared.condition)
        for waiting in left { waiting.body(false) }
    }

    deinit { stop() }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func keepTime(_ shared: Shared) {
        while true {
            pthread_mutex_lock(shared.lock)
            while !shared.isStopping {
                let next = shared.waiting.map(\.deadline).min()
                guard let next else {
                    pthread_cond_wait(shared.condition, shared.lock)
                    continue
                }
                if next <= now() { break }
                var time = timespec(
                    tv_sec: Int(next / 1_000_000_000), tv_nsec: Int(next % 1_000_000_000))
                pthread_cond_timedwait(shared.condition, shared.lock, &time)
            }
            let isStopping = shared.isStopping
            let present = now()
            let late = shared.take { $0.deadline <= present }
            pthread_mutex_unlock(shared.lock)
            for waiting in late { waiting.body(false) }
            if isStopping { return }
        }
    }
}
