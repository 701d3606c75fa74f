import Glibc

/// A value behind a lock that threads can wait on. Thread-safe.
///
/// Unlike a `Mutex` it neither spins nor is handed over in turn, which costs where threads meet at each request (`user-lists`).
package final class Monitor<State>: @unchecked Sendable {
    // Unchecked: `state` is used only with the lock held.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    /// Creates a monitor with its initial value.
    package init(_ state: State) {
        self.state = state
        pthread_mutex_init(lock, nil)
        // A step of the real-time clock must not lengthen a wait.
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

    /// Runs `body` with the lock held.
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&state)
    }

    /// Runs `body` with the lock held and wakes the waiting threads.
    package func update(_ body: (inout State) -> Void) {
        signal { state in
            body(&state)
            return true
        }
    }

    /// Runs `body` with the lock held and wakes a waiting thread if it returns true.
    package func signal(_ body: (inout State) -> Bool) {
        pthread_mutex_lock(lock)
        let wakes = body(&state)
        pthread_mutex_unlock(lock)
        if wakes { pthread_cond_broadcast(condition) }
    }

    /// Runs `body` with the lock held until it returns a result, waiting for ``signal(_:)`` in between.
    package func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, lock)
        }
    }

    /// Runs `body` with the lock held until it returns a result or `microseconds` have passed.
    ///
    /// - Returns: The result; nil if the time has passed.
    package func wait<Result>(microseconds: Int, _ body: (inout State) -> Result?) -> Result? {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += microseconds / 1_000_000
        deadline.tv_nsec += microseconds % 1_000_000 * 1000
        if deadline.tv_nsec >= 1_000_000_000 {
            deadline.tv_nsec -= 1_000_000_000
            deadline.tv_sec += 1
        }
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&state) { return result }
            if pthread_cond_timedwait(condition, lock, &deadline) == ETIMEDOUT {
                return body(&state)
            }
        }
    }
}
