@testable import HoldfastStreams
import HoldfastServiceSupport
import HoldfastTestSupport
import HoldfastThreads
import Synchronization
import Testing

@testable import HoldfastStoreService

/// The jobs with which workers serve streams.
@Suite("The jobs of streams")
struct StreamJobsTests {
    private static let user = ClientKey(token: 1)
    private static let other = ClientKey(token: 2)

    /// A scheduler with a short queue. Its running jobs are blocked until it is released.
    private final class Held {
        let scheduler: JobScheduler
        private let isHeld = Monitor(true)

        init(waitingCountMax: Int) {
            var limits = SchedulerLimits()
            limits.waitingCountMax = waitingCountMax
            scheduler = JobScheduler(limits)
            for _ in 0..<limits.runningLongCountMax + 1 {
                let job = Job(ClientKey(token: 9)) { [isHeld] _ in
                    isHeld.wait { $0 ? nil : () }
                }
                let isTaken = scheduler.submit(job)
                #expect(isTaken)
            }
        }

        func letGo() { isHeld.update { $0 = false } }
    }

    @Test("leave room for other requests, and all run in turns by client")
    func room() throws {
        let held = Held(waitingCountMax: 8)
        let jobs = StreamJobs(held.scheduler)
        let ran = Monitor<[Int]>([])
        for number in 0..<40 {
            jobs.submit(
                Job(number < 39 ? Self.user : Self.other) { _ in
                    ran.update { $0.append(number) }
                }
            ) { Issue.record("refused") }
        }
        #expect(held.scheduler.counts.waiting == 2)
        let isAnswered = Monitor(false)
        let isTaken = held.scheduler.submit(
            Job(Self.other) { _ in
                isAnswered.update { $0 = true }
            })
        #expect(isTaken)
        held.letGo()
        isAnswered.wait { $0 ? () : nil }
        let order = ran.wait { $0.count == 40 ? $0 : nil }
        #expect(order.sorted() == Array(0..<40))
        // The other client's job does not wait for the first client's jobs.
        #expect(order.firstIndex(of: 39) ?? 40 < 10)
        held.scheduler.stop()
    }

    @Test("that wait are refused, each once, when the scheduler stops")
    func stop() throws {
        let held = Held(waitingCountMax: 8)
        let jobs = StreamJobs(held.scheduler)
        let counts = Counts()
        for _ in 0..<10_000 {
            jobs.submit(Job(Self.user) { _ in counts.ran.wrappingAdd(1, ordering: .relaxed) }) {
                counts.refused.wrappingAdd(1, ordering: .relaxed)
            }
        }
        let scheduler = held.scheduler
        let stopping = try StartedThread { scheduler.stop() }
        held.letGo()
        stopping.result()
        let (ranCount, refusedCount) = (
            counts.ran.load(ordering: .relaxed), counts.refused.load(ordering: .relaxed)
        )
        #expect(ranCount + refusedCount == 10_000)
        // A later job is refused at once.
        jobs.submit(Job(Self.user) { _ in }) {
            counts.refused.wrappingAdd(1, ordering: .relaxed)
        }
        #expect(counts.refused.load(ordering: .relaxed) == refusedCount + 1)
    }

    private final class Counts: Sendable {
        let ran = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
    }

    @Test("that the scheduler has no room for are refused")
    func full() throws {
        let held = Held(waitingCountMax: 4)
        let jobs = StreamJobs(held.scheduler)
        for _ in 0..<4 {
            let isTaken = held.scheduler.submit(Job(Self.other) { _ in })
            #expect(isTaken)
        }
        let refused = Monitor(0)
        for _ in 0..<3 { jobs.submit(Job(Self.user) { _ in }) { refused.update { $0 += 1 } } }
        #expect(refused.withLock { $0 } == 3)
        held.letGo()
        held.scheduler.stop()
    }
}
