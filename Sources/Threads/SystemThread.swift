import Glibc

/// A thread of the system. Threads are used rather than tasks because they block on storage and sockets.
package struct SystemThread: @unchecked Sendable {
    // Unchecked: an identifier, which the library takes from any thread.
    private let thread: pthread_t

    /// Starts a thread that runs `body`. Call ``join()`` or ``detach()`` once afterwards.
    ///
    /// - Returns: Nil if the system cannot start another thread; then `body` is not run, and `errno` has the reason.
    package init?(_ body: @escaping @Sendable () -> Void) {
        final class Work: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        // Objects nest as deep as JSON may, and each level takes about 8 KiB in a build without optimisation. The unused part is
        // only address space.
        pthread_attr_setstacksize(&attributes, 16 << 20)
        defer { pthread_attr_destroy(&attributes) }
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                work.body()
                return nil
            }, work.toOpaque())
        guard failure == 0 else {
            work.release()
            errno = failure
            return nil
        }
        self.thread = thread
    }

    /// Waits until the thread has ended.
    package func join() { pthread_join(thread, nil) }

    /// Lets the thread end by itself.
    package func detach() { pthread_detach(thread) }
}

/// Starts a detached thread that runs `body`.
///
/// - `name`: The name that tools show; at most fifteen bytes of ASCII.
package func startThread(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    // Used for threads without which a store can't work, each started once.
    let isStarted = startThreadIfPossible {
        nameThread(name)
        body()
    }
    precondition(isStarted, "no thread can be started")
}

/// Starts a detached thread for work that the caller can do itself.
///
/// - Returns: Whether the thread was started; otherwise `body` is not run.
package func startThreadIfPossible(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = SystemThread(body) else { return false }
    thread.detach()
    return true
}

/// Names the calling thread for tools; without `/proc` it has no name.
private func nameThread(_ name: StaticString) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name.utf8Start, name.utf8CodeUnitCount)
    close(file)
}
