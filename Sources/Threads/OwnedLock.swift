import Glibc
import Synchronization

/// A lock that one call takes and another releases, because a write transaction outlives a closure.
///
/// It belongs to the thread that took it, like LMDB's lock, so that code that works with this lock works with LMDB.
///
/// `@unchecked Sendable`: the mutex is made for threads, and its memory never moves.
package final class OwnedLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let owner = Atomic<UInt>(0)

    /// Creates an unlocked lock.
    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "a mutex without attributes needs no resources")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Waits for the lock. Traps if the calling thread has it, because it would wait for ever.
    package func lock() {
        requireNotOwner()
        pthread_mutex_lock(mutex)
        owner.store(UInt(pthread_self()), ordering: .relaxed)
    }

    /// Releases the lock.
    package func unlock() {
        requireOwner()
        owner.store(0, ordering: .relaxed)
        pthread_mutex_unlock(mutex)
    }

    /// Traps if the calling thread has the lock.
    package func requireNotOwner() {
        precondition(
            owner.load(ordering: .relaxed) != UInt(pthread_self()),
            "this thread has a write transaction open: end it before the next write")
    }

    /// Traps unless the calling thread has the lock.
    package func requireOwner() {
        precondition(
            owner.load(ordering: .relaxed) == UInt(pthread_self()),
            "a write transaction is used on the thread that began it")
    }
}
