import Synchronization
import HoldfastThreads

/// The chunks of a scan that several threads work on. Thread-safe.
final class ColumnJob: Sendable {
    private struct Helpers {
        var activeCount = 0
        var isOver = false
        var workers: [ColumnWorker] = []
    }

    private let next: Atomic<Int>
    private let end: Int
    private let makeWorker: @Sendable () -> ColumnWorker
    private let hasDismissed = Atomic<Bool>(false)
    private let left = Mutex<[Int]>([])
    private let helpers = Monitor(Helpers())

    /// Makes a job of some chunks.
    ///
    /// - `makeWorker`: Called by each helper that comes to it.
    init(_ chunks: Range<Int>, makeWorker: @escaping @Sendable () -> ColumnWorker) {
        next = Atomic(chunks.lowerBound)
        end = chunks.upperBound
        self.makeWorker = makeWorker
    }

    /// Has a worker take the next chunk; false when there is none.
    func step(_ worker: ColumnWorker) -> Bool {
        let chunk = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard chunk < end else { return false }
        if !worker.take(chunk) { left.withLock { $0.append(chunk) } }
        return true
    }

    /// Takes chunks until there are no more or helpers are dismissed, unless the job is over before a helper comes to
    /// it.
    func help() {
        let isOver = helpers.withLock { state in
            if !state.isOver { state.activeCount += 1 }
            return state.isOver
        }
        guard !isOver else { return }
        let worker = makeWorker()
        while !hasDismissed.load(ordering: .relaxed), worker.hasRoom, step(worker) {}
        helpers.signal { state in
            state.workers.append(worker)
            state.activeCount -= 1
            return state.activeCount == 0
        }
    }

    /// Lets no helper begin another chunk; the job's own thread goes on.
    func dismissHelpers() { hasDismissed.store(true, ordering: .relaxed) }

    /// Waits for the helpers, and returns their workers and the chunks that only rows can decide.
    func finish() -> (workers: [ColumnWorker], left: [Int]) {
        helpers.withLock { $0.isOver = true }
        helpers.wait { $0.activeCount == 0 ? () : nil }
        return (helpers.withLock { $0.workers }, left.withLock { $0 })
    }
}
