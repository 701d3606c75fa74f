import HoldfastStoreService
import HoldfastThreads

/// The jobs with which workers serve streams. The scheduler has only some of them at a time, so that other requests find room
/// there even if many streams catch up. The other jobs wait here; clients take turns. Any thread.
final class StreamJobs: Sendable {
    private struct State {
        /// The number of these jobs in the scheduler.
        var count = 0
        var waiting = FairQueue<Job>()
    }

    private let scheduler: JobScheduler
    private let countMax: Int
    private let state = Monitor(State())

    /// - `scheduler`: At most a quarter of its places for waiting jobs are used for streams.
    init(_ scheduler: JobScheduler) {
        self.scheduler = scheduler
        countMax = max(1, scheduler.limits.waitingCountMax / 4)
    }

    /// Submits a job, which runs sooner or later.
    ///
    /// - `refuse`: Called instead, now or later, when the scheduler does not take it.
    func submit(_ job: Job, orElse refuse: @escaping @Sendable () -> Void) {
        job.refuse = refuse
        state.withLock { $0.waiting.append(job) }
        handOver()
    }

    /// Gives the scheduler as many jobs as it may have.
    private func handOver() {
        while let job = next() {
            job.whenDone = { [self] in
                state.withLock { $0.count -= 1 }
                handOver()
            }
            if scheduler.submit(job) { continue }
            job.whenDone = nil
            let isLast = state.withLock { state in
                state.count -= 1
                // The job is tried again when a job in the scheduler ends.
                if state.count > 0 { state.waiting.append(job) }
                return state.count == 0
            }
            guard isLast else { return }
            job.refuse?()
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            guard state.count < countMax, let job = state.waiting.popFirst() else { return nil }
            state.count += 1
            return job
        }
    }
}
