import CHoldfastMemory
import HoldfastObjectStore
import HoldfastThreads
import Synchronization

/// Threads for reads and other work that may take long, so that the threads of connections never wait, and
/// short work does not wait for long work.
///
/// ``Schedule`` decides which job runs when. A job that waits for its next slice keeps its thread, which it blocks when
/// it checks the clock. The jobs that wait for their first slice are bounded: beyond that work is refused, which the
/// caller answers with 503. Thread-safe.
package final class JobScheduler: Sendable {
    private struct State {
        var schedule: Schedule
        var idle: [SchedulerThread] = []

        /// Chooses the threads of jobs that may run now: their own, idle ones, or new ones.
        mutating func start(_ makeThread: () -> SchedulerThread?) -> [Job] {
            var started: [Job] = []
            while let job = schedule.next() {
                guard let thread = job.thread ?? idle.popLast() ?? makeThread() else {
                    // It runs when an existing thread is idle.
                    schedule.putBack(job)
                    break
                }
                job.thread = thread
                started.append(job)
            }
            return started
        }
    }

    /// How many jobs are in which state.
    package struct Counts: Sendable {
        /// They wait for their first time slice, or to begin again.
        package var waiting: Int
        /// They run.
        package var running: Int
        /// Jobs that have outlived their first time slice and keep the values that they have read.
        package var long: Int
    }

    package let limits: SchedulerLimits
    /// A monitor, for it is much used: a `Mutex` is handed to the thread that waits for it, and is not free until that
    /// has a processor.
    private let state: Monitor<State>
    private let jobCount = Atomic<Int>(0)
    private let threadCount = Monitor(0)
    /// Whether long jobs have ended since memory was given back.
    let hasFreedMemory = Atomic<Bool>(false)
    /// How often memory was given back.
    let memoryReturnCount = Atomic<Int>(0)

    /// Makes a scheduler. Its threads start when there is work for them, and stay.
    package init(_ limits: SchedulerLimits) {
        self.limits = limits
        state = Monitor(State(schedule: Schedule(limits)))
    }

    /// Queues a job.
    ///
    /// - Returns: False, with nothing queued, when too much waits or the scheduler was stopped.
    package func submit(_ job: Job) -> Bool {
        job.scheduler = self
        jobCount.wrappingAdd(1, ordering: .relaxed)
        let (isTaken, started) = state.withLock { state in
            let isTaken = state.schedule.submit(job)
            return (isTaken, isTaken ? state.start(makeThread) : [])
        }
        if !isTaken { jobCount.wrappingSubtract(1, ordering: .relaxed) }
        run(started)
        return isTaken
    }

    package var counts: Counts {
        state.withLock { state in
            Counts(
                waiting: state.schedule.waitingCount, running: state.schedule.runningCount,
                long: state.schedule.admittedCount)
        }
    }

    var hasOneJob: Bool { jobCount.load(ordering: .relaxed) <= 1 }

    /// Ends every job at the end of its time slice, queued jobs in the same way, and returns when they have ended.
    package func stop() {
        let (started, idle) = state.withLock { state in
            state.schedule.stop()
            let started = state.start(makeThread)
            defer { state.idle = [] }
            return (started, state.idle)
        }
        run(started)
        for thread in idle { thread.update { $0 = .exit } }
        threadCount.wait { $0 == 0 ? () : nil }
    }

    /// Starts a thread; nil if the system has no thread left. There are never more than jobs that run or wait for
    /// their next slice.
    private func makeThread() -> SchedulerThread? {
        let thread = SchedulerThread(nil)
        threadCount.withLock { $0 += 1 }
        let isStarted = startThreadIfPossible { [self] in
            while case .run(let job) = thread.wait({ $0.take() }) {
                job.run(sliceMicroseconds: limits.sliceMicroseconds)
                finish(job, on: thread)
            }
            endThread()
        }
        if !isStarted { endThread() }
        return isStarted ? thread : nil
    }

    /// Gives jobs to the threads that were chosen for them. Cost: a lock for each, and waking its thread.
    private func run(_ started: [Job]) {
        for job in started { job.thread?.update { $0 = .run(job) } }
    }

    private func endThread() { threadCount.update { $0 -= 1 } }

    // MARK: On the scheduler's threads

    /// Ends a job's turn. Its thread may be the one that goes on with another job.
    private func finish(_ job: Job, on thread: SchedulerThread) {
        let isDone = !job.isRestarted
        if isDone { jobCount.wrappingSubtract(1, ordering: .relaxed) }
        let now = monotonicMilliseconds()
        let (started, exits) = state.withLock { state in
            job.thread = nil
            if job.isLong { hasFreedMemory.store(true, ordering: .relaxed) }
            state.schedule.finish(job)
            state.schedule.expire(now)
            state.idle.append(thread)
            let started = state.start(makeThread)
            guard state.schedule.isStopping,
                let index = state.idle.lastIndex(where: { $0 === thread })
            else { return (started, false) }
            state.idle.remove(at: index)
            return (started, true)
        }
        run(started)
        if isDone { job.whenDone?() }
        if exits { thread.update { $0 = .exit } }
    }

    /// Ends a running job's slice: it goes on at once or waits for its turn, unless it has to end.
    func endSlice(of job: Job) {
        let now = monotonicMilliseconds()
        // After the lock, the thread that starts the job again states itself.
        let own = job.thread
        let (verdict, started) = state.withLock { state in
            let verdict = state.schedule.endSlice(of: job)
            state.schedule.expire(now)
            return (verdict, state.start(makeThread))
        }
        run(started)
        if case .ends(let ending) = verdict { job.ending = ending }
        // The only order that the thread of a job in the middle can get is to go on with it, which it may have already.
        if verdict == .waits { _ = own?.wait { $0.take() } }
        job.beginSlice(limits.sliceMicroseconds)
    }
}

// The freed memory of long jobs lies in pieces that the allocator keeps: a query of a hundred MiB would leave the process
// as large as it was at its peak.
extension JobScheduler {
    /// Whether long jobs have ended since memory was given back, and no job runs that would use it again.
    package var hasMemoryToGiveBack: Bool {
        hasFreedMemory.load(ordering: .relaxed) && counts.long == 0
    }

    /// Takes notice of memory that other work has freed, such as a large write.
    package func noteFreedMemory() { hasFreedMemory.store(true, ordering: .relaxed) }

    /// Gives the memory that long jobs have freed back to the system. Takes some milliseconds; call it once a second at most.
    ///
    /// - Returns: Whether there was something to give back.
    @discardableResult
    package func giveBackMemory() -> Bool {
        guard counts.long == 0, hasFreedMemory.exchange(false, ordering: .relaxed) else {
            return false
        }
        shim_trim_memory()
        memoryReturnCount.wrappingAdd(1, ordering: .relaxed)
        return true
    }

    /// How often memory was given back.
    package var memoryReturns: Int { memoryReturnCount.load(ordering: .relaxed) }
}

/// The limits of the jobs of a ``JobScheduler`` together.
package struct SchedulerLimits: Sendable {
    /// Jobs that have outlived their first time slice and run at once. One more turn is left to others.
    package var runningLongCountMax = 2
    /// Jobs that have outlived their first time slice and keep the values that they have read, whether they run or wait
    /// for their next slice. Others begin again when there is room.
    package var admittedCountMax = 8
    /// Bytes of memory of these jobs together.
    package var memoryByteCountMax = 512 << 20
    package var jobMemoryByteCountMax = 256 << 20
    /// Jobs that wait for their first time slice, or to begin again.
    package var waitingCountMax = 10_000
    /// How long a job runs before it is others' turn.
    package var sliceMicroseconds: UInt64 = 4_000

    /// Makes the defaults.
    package init() {}

    /// Turns that are taken at once.
    var runningCountMax: Int { runningLongCountMax + 1 }
    /// Bytes that a job begins with: all that are admitted may have so many.
    var memoryByteCountAtFirst: Int {
        min(jobMemoryByteCountMax, max(1, memoryByteCountMax / admittedCountMax))
    }
    /// Bytes of a job that has begun again because its first bytes were too few.
    var memoryByteCountAtMost: Int { min(jobMemoryByteCountMax, memoryByteCountMax) }
}
