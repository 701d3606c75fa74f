import ObjectStore
import Synchronization
import Threads

/// Counts the imports that run: each has a thread and tens of MiB of memory, so their number is bounded.
/// Thread-safe.
final class ImportGate: Sendable {
    private let count = Monitor(0)
    private let countMax: Int
    private let stopping = Atomic<Bool>(false)

    /// Allows so many at a time.
    init(countMax: Int) { self.countMax = countMax }

    /// Whether one more may begin; ``leave()`` follows then.
    func enter() -> Bool {
        count.withLock { count in
            guard count < countMax else { return false }
            count += 1
            return true
        }
    }

    /// One has ended.
    func leave() {
        count.signal {
            $0 -= 1
            return true
        }
    }

    /// Whether those that run are to end.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Has those that run end, and returns when none does.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        waitUntilIdle()
    }

    /// Returns when none runs.
    func waitUntilIdle() { count.wait { $0 == 0 ? () : nil } }
}
