import Glibc
import Synchronization
import Testing
import HoldfastThreads

@testable import HoldfastStoreService

@Suite("The scheduler's threads")
struct JobSchedulerTests {
    private static let client = ClientKey(address: "10.0.0.1:1")

    /// Every look at the clock ends a slice.
    private static func scheduler(admitted: Int = 8) -> JobScheduler {
        var limits = SchedulerLimits()
        limits.runningLongCountMax = 1
        limits.admittedCountMax = admitted
        limits.sliceMicroseconds = 0
        return JobScheduler(limits)
    }

    /// A job that runs until it may not continue.
    private static func endless(_ ended: Monitor<Int>) -> Job {
        Job(client) { job in
            while job.mayContinue() {}
            guard !job.isRestarted else { return }
            ended.update { $0 += 1 }
        }
    }

    @Test("run short jobs while more long ones than turns are under way", .timeLimit(.minutes(2)))
    func shortJobs() {
        let scheduler = Self.scheduler()
        let ended = Monitor(0)
        for _ in 0..<20 { #expect(scheduler.submit(Self.endless(ended))) }
        let answered = Monitor(0)
        for _ in 0..<100 {
            let isTaken = scheduler.submit(
                Job(Self.client) { _ in
                    answered.update { $0 += 1 }
                })
            #expect(isTaken)
        }
        answered.wait { $0 == 100 ? () : nil }
        #expect(ended.withLock { $0 } == 0)
        #expect(scheduler.counts.long <= 8)
        scheduler.stop()
        #expect(ended.withLock { $0 } == 20, "stopping ends them all, wherever they wait")
        #expect(!scheduler.submit(Job(Self.client) { _ in }))
    }

    @Test("begin a job again that there was no room for", .timeLimit(.minutes(2)))
    func restart() {
        let scheduler = Self.scheduler(admitted: 1)
        let isReleased = Atomic<Bool>(false)
        let runCounts = Monitor([0, 0])
        func submit(_ number: Int) {
            let isTaken = scheduler.submit(
                Job(Self.client) { job in
                    runCounts.update { $0[number] += 1 }
                    while !isReleased.load(ordering: .relaxed) {
                        guard job.mayContinue() else { return }
                    }
                })
            #expect(isTaken)
        }
        submit(0)
        runCounts.wait { $0[0] == 1 ? () : nil }
        while scheduler.counts.long == 0 {}
        submit(1)
        runCounts.wait { $0[1] == 1 ? () : nil }
        while scheduler.counts.waiting == 0 {}
        isReleased.store(true, ordering: .relaxed)
        runCounts.wait { $0[1] == 2 ? () : nil }
        scheduler.stop()
        #expect(runCounts.withLock { $0 } == [1, 2])
    }

    @Test("end a job at its slice's end when nobody waits for it", .timeLimit(.minutes(2)))
    func unawaited() {
        let scheduler = Self.scheduler()
        let isAwaited = Atomic<Bool>(true)
        let ending = Monitor<Job.Ending?>(nil)
        let hasBegun = Monitor(false)
        let isTaken = scheduler.submit(
            Job(Self.client, isAwaited: { isAwaited.load(ordering: .relaxed) }) { job in
                hasBegun.update { $0 = true }
                while job.mayContinue() {}
                ending.update { $0 = job.ending }
            })
        #expect(isTaken)
        hasBegun.wait { $0 ? () : nil }
        isAwaited.store(false, ordering: .relaxed)
        #expect(ending.wait { $0 } == .unawaited)
        scheduler.stop()
    }

    @Test("give a job that needs it more memory once, from its beginning", .timeLimit(.minutes(2)))
    func memory() {
        let scheduler = Self.scheduler()
        let grants = Monitor<[Int]>([])
        let isTaken = scheduler.submit(
            Job(Self.client) { job in
                grants.update { $0.append(job.memoryByteCountMax) }
                job.restartWithMoreMemory()
            })
        #expect(isTaken)
        grants.wait { $0.count == 2 ? () : nil }
        scheduler.stop()
        #expect(grants.withLock { $0 } == [64 << 20, 256 << 20])
    }

    @Test(
        "give memory back once after long jobs, and not while one may use it",
        .timeLimit(.minutes(2)))
    func memoryReturns() {
        let scheduler = Self.scheduler()
        #expect(!scheduler.giveBackMemory())
        let (hasBegun, mayEnd) = (Monitor(false), Monitor(false))
        let isTaken = scheduler.submit(
            Job(Self.client, expecting: .long) { _ in
                hasBegun.update { $0 = true }
                mayEnd.wait { $0 ? () : nil }
            })
        #expect(isTaken)
        hasBegun.wait { $0 ? () : nil }
        #expect(!scheduler.giveBackMemory())
        mayEnd.update { $0 = true }
        // Its body ends a little before it does.
        while !scheduler.hasMemoryToGiveBack { usleep(1000) }
        #expect(scheduler.giveBackMemory())
        #expect(!scheduler.giveBackMemory() && scheduler.memoryReturns == 1)
        scheduler.stop()
    }
}
