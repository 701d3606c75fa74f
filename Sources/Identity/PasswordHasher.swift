import CHoldfastSodium
import Glibc
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// One or two threads that hash passwords, each hash in 48 MiB of memory and about a tenth of a second, and nothing else does. They are started
/// with the first one, and give way to threads that serve. Thread-safe.
///
/// Networks take turns, so that many requests from one network keep other networks waiting for one hash only.
package final class PasswordHasher: Sendable {
    /// Work that hashes, for a client of some network.
    package struct Work: QueuedWork, Sendable {
        package let client: ClientKey
        fileprivate let run: @Sendable (PasswordWorker) -> Void
        fileprivate let refuse: @Sendable () -> Void
        /// The time after which it has waited too long, in milliseconds of the monotonic clock.
        fileprivate var end: UInt64 = 0

        /// Describes work.
        ///
        /// - Parameters:
        ///   - network: The network of the client.
        ///   - refuse: Is called instead of `run` if too much work waits, or this work has waited too long. It must not block.
        ///   - run: Is called on a thread that hashes.
        package init(
            from network: ClientKey, refuse: @escaping @Sendable () -> Void = {},
            run: @escaping @Sendable (PasswordWorker) -> Void
        ) {
            client = network
            self.refuse = refuse
            self.run = run
        }
    }

    private struct State {
        var waiting = FairQueue<Work>()
        var isStarted = false
        var isStopped = false
    }

    /// How many hash at a time: half of the processors, so that others find one at once; a thread that hashes runs to the end
    /// of its slice, some milliseconds, when one that serves is woken.
    package static let threadCount = max(1, min(2, processorCount / 2))
    /// How many may wait for that.
    package static let waitingCountMax = 256
    /// The longest time that work may wait, in milliseconds.
    package static let waitingMillisecondsMax: UInt64 = 10_000
    /// How much less the system gives them than others, which a sign-in can wait for (nice(2), of the thread alone on Linux).
    private static let niceness: Int32 = 10

    private let state = Monitor(State())
    private let hashes = Atomic<Int>(0)

    /// Makes a hasher whose threads are not started.
    package init() {}

    /// How many hashes were asked for.
    package var hashCount: Int { hashes.load(ordering: .relaxed) }

    /// Queues work for a thread, or refuses it. When the queue is full, work of a network with less waiting work replaces work of another network.
    package func submit(_ work: Work, at now: UInt64 = monotonicMilliseconds()) {
        var work = work
        work.end = now + Self.waitingMillisecondsMax
        var refused: Work?
        var starts = false
        state.signal { state in
            guard !state.isStopped else {
                refused = work
                return false
            }
            if state.waiting.count >= Self.waitingCountMax {
                let own = state.waiting.count(of: work.client)
                refused = state.waiting.popLast(ofClientWithMoreThan: own + 1)
                guard refused != nil else {
                    refused = work
                    return false
                }
            }
            state.waiting.append(work)
            starts = !state.isStarted
            state.isStarted = true
            return true
        }
        refused?.refuse()
        if starts { start() }
    }

    /// Refuses work that has waited too long. Call it once a second; a thread also calls it before each hash.
    package func refuseOverdue(at now: UInt64 = monotonicMilliseconds()) {
        var overdue: [Work] = []
        state.signal { state in
            overdue = state.waiting.removeAll { $0.end <= now }
            return false
        }
        for work in overdue { work.refuse() }
    }

    /// Ends the threads; what waits is not done, a hash under way is over soon.
    package func stop() {
        state.update { state in
            state.isStopped = true
            state.waiting = FairQueue()
        }
    }

    /// Starts the threads. If no thread can be started, the waiting work is refused, and the next work tries again.
    private func start() {
        // Safe to call again, from any thread.
        _ = sodium_init()
        var count = 0
        for _ in 0..<Self.threadCount {
            let isStarted = startThreadIfPossible { [self] in
                _ = nice(Self.niceness)
                let worker = PasswordWorker { self.hashes.add(1, ordering: .relaxed) }
                while let work = next() { work.run(worker) }
            }
            if isStarted { count += 1 }
        }
        guard count == 0 else { return }
        state.update { $0.isStarted = false }
        refuseOverdue(at: .max)
    }

    /// The next work to be done; nil at the end.
    private func next() -> Work? {
        refuseOverdue()
        return state.wait { state -> Work?? in
            if state.isStopped { return .some(nil) }
            return state.waiting.popFirst().map { .some($0) }
        }
    }
}

/// Hashes passwords with Argon2id, on one of the threads of a ``PasswordHasher``.
package final class PasswordWorker {
    /// Passes over the memory, and its bytes, of each hash: see decision 37.
    private static let passCount: UInt32 = 3
    private static let memoryByteCount = 48 << 20

    /// The text of a hash that no password has, with which those of unknown accounts are compared, so that they take as long as those of
    /// known ones.
    private static let nobodysHash =
        "$argon2id$v=19$m=\(memoryByteCount >> 10),t=\(passCount),p=1$"
        + String(repeating: "A", count: 22) + "$" + String(repeating: "A", count: 43)

    private let count: () -> Void

    /// Makes the worker of a thread.
    ///
    /// - `count`: Is called for each hash that is asked for.
    init(counting count: @escaping () -> Void) { self.count = count }

    /// The hash of a password, as a text that says how it was made; nil when there was no memory for it.
    package func hash(_ password: String) -> String? {
        count()
        return Self.hash(password)
    }

    /// Whether a password is that of a hash; nil when there was no memory to find out.
    ///
    /// - `hash`: The hash; nil where there is none. Then it is wrong, and the same work is done.
    package func isRight(_ password: String, for hash: String?) -> Bool? {
        count()
        let text = hash ?? Self.nobodysHash
        var password = password
        let answer = password.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                shim_password_is_right(text, bytes.baseAddress, bytes.count)
            }
        }
        return answer < 0 ? nil : answer == 1 && hash != nil
    }

    private static func hash(_ password: String) -> String? {
        var password = password
        return withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: shim_password_text_count
        ) { text -> String? in
            guard let base = text.baseAddress else { return nil }
            let failure = password.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    shim_password_hash(
                        base, bytes.baseAddress, bytes.count, passCount, memoryByteCount)
                }
            }
            return failure == 0 ? String(cString: base) : nil
        }
    }
}
