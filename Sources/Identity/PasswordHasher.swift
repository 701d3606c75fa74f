import CHoldfastSodium
import Glibc
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// One or two threads that only hash passwords. Each hash takes 48 MiB of memory and about a tenth of a second. The threads are
/// started for the first password, and have a lower priority than threads that serve requests. Thread-safe.
///
/// Networks take turns, so many requests from one network delay other networks by only one hash.
package final class PasswordHasher: Sendable {
    /// A request to hash, for a client of some network.
    package struct Work: QueuedWork, Sendable {
        package let client: ClientKey
        fileprivate let run: @Sendable (PasswordWorker) -> Void
        fileprivate let refuse: @Sendable () -> Void
        /// The deadline of the waiting time, in milliseconds of the monotonic clock.
        fileprivate var end: UInt64 = 0

        /// Describes work.
        ///
        /// - Parameters:
        ///   - network: The network of the client.
        ///   - refuse: Is called instead of `run` if too much work waits, or this work has waited too long. It must not block.
        ///   - run: Is called on a hashing thread.
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

    /// The number of hashing threads: half of the processors, but one or two, so that other threads find a free one at once.
    /// When a thread that serves is woken, a hashing thread still runs to the end of its time slice, some milliseconds.
    package static let threadCount = max(1, min(2, processorCount / 2))
    /// The maximum waiting time, in milliseconds.
    package static let waitingMillisecondsMax: UInt64 = 10_000
    /// The reduction of the threads' priority (nice(2), which on Linux applies to a thread). A sign-in can wait.
    private static let niceness: Int32 = 10

    private let waitingCountMax: Int
    private let state = Monitor(State())
    private let hashes = Atomic<Int>(0)

    /// Makes a hasher without starting its threads.
    ///
    /// - `waitingCountMax`: The maximum number of waiting requests.
    package init(waitingCountMax: Int = 256) { self.waitingCountMax = waitingCountMax }

    /// The number of requested hashes.
    package var hashCount: Int { hashes.load(ordering: .relaxed) }

    /// Queues work for a thread, or refuses it. If the queue is full, work of a network with less waiting work replaces work of
    /// another network.
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
            if state.waiting.count >= waitingCountMax {
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

    /// Ends the threads. Waiting work is dropped; a running hash ends soon.
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

    /// The next work; nil when the hasher has been stopped.
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
    /// The passes over the memory, and its size in bytes, for each hash: see decision 37.
    private static let passCount: UInt32 = 3
    private static let memoryByteCount = 48 << 20

    /// A hash that no password matches. It is compared for unknown accounts, so that they take as long as known ones.
    private static let nobodysHash =
        "$argon2id$v=19$m=\(memoryByteCount >> 10),t=\(passCount),p=1$"
        + String(repeating: "A", count: 22) + "$" + String(repeating: "A", count: 43)

    private let count: () -> Void

    /// Makes the worker of a thread.
    ///
    /// - `count`: Is called for each requested hash.
    init(counting count: @escaping () -> Void) { self.count = count }

    /// The hash of a password, as a text with its parameters; nil if there was not enough memory.
    package func hash(_ password: String) -> String? {
        count()
        return Self.hash(password)
    }

    /// Whether a password matches a hash; nil if there was not enough memory.
    ///
    /// - `hash`: The hash; nil if there is no account. The result is then false, after the same work.
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
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: shim_password_text_count) {
            text -> String? in
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
