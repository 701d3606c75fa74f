import CHoldfastSodium
import Glibc
import HoldfastThreads
import Synchronization

/// One or two threads that hash passwords, each hash in 48 MiB of memory and about a tenth of a second, and nothing else does. They are started
/// with the first one, and give way to threads that serve. Thread-safe.
package final class PasswordHasher: Sendable {
    /// Work that hashes.
    package typealias Work = @Sendable (PasswordWorker) -> Void

    private struct State {
        var waiting: [Work] = []
        var isStarted = false
        var isStopped = false
    }

    /// How many hash at a time: half of the processors, so that others find one at once; a thread that hashes runs to the end
    /// of its slice, some milliseconds, when one that serves is woken.
    package static let threadCount = max(1, min(2, processorCount / 2))
    /// How many may wait for that.
    package static let waitingCountMax = 256
    /// How much less the system gives them than others, which a sign-in can wait for (nice(2), of the thread alone on Linux).
    private static let niceness: Int32 = 10

    private let state = Monitor(State())
    private let hashes = Atomic<Int>(0)

    /// Makes a hasher whose threads are not started.
    package init() {}

    /// How many hashes were asked for.
    package var hashCount: Int { hashes.load(ordering: .relaxed) }

    /// Has a thread do some work, when those that came before are done.
    ///
    /// - Returns: Whether it will be done; false where too much waits, or the hasher has stopped.
    package func submit(_ work: @escaping Work) -> Bool {
        var starts = false
        var isTaken = false
        state.signal { state in
            isTaken = !state.isStopped && state.waiting.count < Self.waitingCountMax
            guard isTaken else { return false }
            state.waiting.append(work)
            starts = !state.isStarted
            state.isStarted = true
            return true
        }
        return isTaken && (!starts || start())
    }

    /// Ends the threads; what waits is not done, a hash under way is over soon.
    package func stop() {
        state.update { state in
            state.isStopped = true
            state.waiting = []
        }
    }

    /// Starts the threads; returns whether there is any, else it is tried again with the next work.
    private func start() -> Bool {
        // Safe to call again, from any thread.
        _ = sodium_init()
        var count = 0
        for _ in 0..<Self.threadCount {
            let isStarted = startThreadIfPossible { [self] in
                _ = nice(Self.niceness)
                let worker = PasswordWorker { self.hashes.add(1, ordering: .relaxed) }
                while let work = next() { work(worker) }
            }
            if isStarted { count += 1 }
        }
        if count > 0 { return true }
        state.update { state in
            state.isStarted = false
            state.waiting = []
        }
        return false
    }

    /// The work that has waited longest; nil at the end.
    private func next() -> Work? {
        state.wait { state -> Work?? in
            if state.isStopped { return .some(nil) }
            return state.waiting.isEmpty ? nil : .some(state.waiting.removeFirst())
        }
    }
}
