import Glibc
import Query
import Synchronization
import Threads

/// Helper threads that evaluate chunks of a long scan in parallel: one for each further core, started when the
/// first scan asks. They wait without cost and are shared by all stores. Thread-safe.
final class ColumnHelpers: Sendable {
    static let shared = ColumnHelpers()

    private let jobs = Monitor<[ColumnJob]>([])
    private let count: Int

    private init() {
        count = max(0, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1, 7))
        for _ in 0..<count {
            startThread(named: "columns") { [self] in
                let frame = ColumnFrame()
                while true {
                    let job: ColumnJob = jobs.wait { $0.popLast() }
                    job.help(frame)
                }
            }
        }
    }

    /// Has helpers work on a job beside the caller.
    func join(_ job: ColumnJob, countMax: Int) {
        let count = min(count, countMax)
        guard count > 0 else { return }
        jobs.update {
            // The oldest is taken last: a scan that came later is not shorter.
            $0.insert(contentsOf: repeatElement(job, count: count), at: 0)
        }
    }
}

/// The count of a scan that several threads work on, chunk by chunk.
final class ColumnJob: Sendable {
    private struct Helpers {
        var activeCount = 0
        var isOver = false
    }

    private let program: ColumnProgram
    private let next: Atomic<Int>
    private let total = Atomic<Int>(0)
    private let hasDismissed = Atomic<Bool>(false)
    private let undecided = Mutex<[Int]>([])
    private let helpers = Monitor(Helpers())

    /// Makes a job of the chunks from `first` on.
    init(_ program: ColumnProgram, first: Int) {
        self.program = program
        next = Atomic(first)
    }

    /// Counts the next chunk; false when there is none.
    func step(_ frame: ColumnFrame) -> Bool {
        let chunk = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard chunk < program.chunkCount else { return false }
        guard program.evaluate(chunk, frame) else { return true }
        if frame.hasUndecided {
            undecided.withLock { $0.append(chunk) }
        } else {
            total.wrappingAdd(frame.count, ordering: .relaxed)
        }
        return true
    }

    /// Counts chunks until there are no more or helpers are dismissed, unless the job is over before a helper
    /// comes to it.
    func help(_ frame: ColumnFrame) {
        let isOver = helpers.withLock { state in
            if !state.isOver { state.activeCount += 1 }
            return state.isOver
        }
        guard !isOver else { return }
        while !hasDismissed.load(ordering: .relaxed), step(frame) {}
        helpers.signal { state in
            state.activeCount -= 1
            return state.activeCount == 0
        }
    }

    /// Lets no helper begin another chunk; the job's own thread goes on.
    func dismissHelpers() { hasDismissed.store(true, ordering: .relaxed) }

    /// Waits for the helpers and returns what was counted, and the chunks that only rows can decide.
    func finish() -> (count: Int, undecided: [Int]) {
        helpers.withLock { $0.isOver = true }
        helpers.wait { $0.activeCount == 0 ? () : nil }
        return (total.load(ordering: .acquiring), undecided.withLock { $0 })
    }
}
