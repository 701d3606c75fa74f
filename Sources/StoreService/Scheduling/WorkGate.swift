import Synchronization
import HoldfastThreads

/// Bounds work that has a thread of its own and takes much memory, such as imports and backups, and ends it. Thread-safe.
package final class WorkGate: Sendable {
    private let count = Monitor(0)
    private let countMax: Int
    private let stopping = Atomic<Bool>(false)

    /// Allows so many at a time.
    package init(countMax: Int) { self.countMax = countMax }

    /// Whether one more may begin; ``leave()`` follows then.
    package func enter() -> Bool {
        count.withLock { count in
            guard count < countMax else { return false }
            count += 1
            return true
        }
    }

    /// One has ended.
    package func leave() { count.update { $0 -= 1 } }

    /// Whether running work has to end.
    package var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Ends the running work, and returns when all has ended.
    package func stop() {
        stopping.store(true, ordering: .relaxed)
        count.wait { $0 == 0 ? () : nil }
    }
}
