import Glibc
import Synchronization

/// A thread that is under way, for tests in which one waits for another.
package final class StartedThread<Result: Sendable>: Sendable {
    private let thread: pthread_t
    private let slot: Slot

    private final class Slot: Sendable {
        let value = Mutex<Result?>(nil)
    }

    /// Starts a thread that runs `body`.
    package init(_ body: @escaping @Sendable () -> Result) throws {
        let slot = Slot()
        self.slot = slot
        thread = try ThreadStart.start {
            let result = body()
            slot.value.withLock { $0 = result }
        }
    }

    /// Waits for the end of `body`, and returns what it returned. Called once.
    package func result() -> Result {
        pthread_join(thread, nil)
        guard let result = slot.value.withLock({ $0 }) else {
            preconditionFailure("a joined thread has left its result")
        }
        return result
    }
}

/// The system has no thread to give.
package struct ThreadStartFailure: Error {
    /// The number that `pthread_create` returned.
    package let code: Int32
}

/// The body of a new thread, handed to it through a C pointer.
private final class ThreadStart: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    static func start(_ body: @escaping @Sendable () -> Void) throws -> pthread_t {
        var thread = pthread_t()
        let start = Unmanaged.passRetained(ThreadStart(body))
        let code = pthread_create(
            &thread, nil,
            { context in
                if let context {
                    Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw ThreadStartFailure(code: code)
        }
        return thread
    }
}
