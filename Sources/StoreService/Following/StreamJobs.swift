import HoldfastThreads

/// The jobs by which workers tell streams: the scheduler has only some of them at a time, so that other requests find room there
/// however many streams have something to catch up with. The other jobs wait here, in turns by client. Any thread.
final class StreamJobs: Sendable {
    private struct State {
        /// How many jobs the scheduler has.
        var count = 0
        var waiting = FairQueue<Job>()
    }

    private let scheduler: JobScheduler
    private let countMax: Int
    private let state = Monitor(State())

    /// - `scheduler`: A quarter of the jobs that may wait there are of streams, at most.
    init(_ scheduler: JobScheduler) {
        self.scheduler = scheduler
        countMax = max(1, scheduler.limits.waitingCountMax / 4)
    }

    /// Has a job run, sooner or later.
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
                // The end of one that the scheduler has tries again.
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
