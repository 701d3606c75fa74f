import HoldfastThreads

/// Helper threads that evaluate chunks of a long scan in parallel: one for each further core, started when the
/// first scan asks. They wait without cost and are shared by all stores. Thread-safe.
final class ColumnHelpers: Sendable {
    static let shared = ColumnHelpers()

    private let jobs = Monitor<[ColumnJob]>([])
    /// How many there are.
    let count: Int

    private init() {
        count = min(processorCount - 1, 7)
        for _ in 0..<count {
            startThread(named: "columns") { [self] in
                while true {
                    let job: ColumnJob = jobs.wait { $0.popLast() }
                    job.help()
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
