import Testing

@testable import HoldfastStoreService

@Suite("The schedule of jobs")
struct ScheduleTests {
    /// Ends jobs' slices and turns by hand.
    private static func limits(long: Int = 1, admitted: Int = 8) -> SchedulerLimits {
        var limits = SchedulerLimits()
        limits.runningLongCountMax = long
        limits.admittedCountMax = admitted
        return limits
    }

    private static func job(
        _ client: Int, expecting expectation: Job.Expectation = .short,
        until deadline: UInt64 = .max
    ) -> Job {
        Job(ClientKey(address: "10.0.0.\(client):1"), expecting: expectation, until: deadline) {
            _ in
        }
    }

    /// Has jobs run until they are long: those of the last one wait in the order of their slices.
    private static func makeLong(_ jobs: [Job], in schedule: ScheduleInHand) {
        for job in jobs {
            #expect(schedule.submit(job))
            while let next = schedule.next(), next !== job { _ = schedule.endSlice(of: next) }
            #expect(schedule.endSlice(of: job) == .waits)
        }
    }

    @Test("jobs that wait begin client by client, one of each")
    func turnsOfClients() {
        let schedule = ScheduleInHand(Self.limits())
        let jobs = [1, 1, 1, 2, 3].map { Self.job($0) }
        for job in jobs { #expect(schedule.submit(job)) }
        var order: [Int] = []
        while let job = schedule.next() {
            order.append(jobs.firstIndex { $0 === job } ?? -1)
            schedule.finish(job)
        }
        #expect(order == [0, 3, 4, 1, 2])
    }

    @Test("long jobs leave one turn to short ones, which go first")
    func shortFirst() {
        let schedule = ScheduleInHand(Self.limits(long: 2))
        let long = (0..<4).map { _ in Self.job(1, expecting: .long) }
        for job in long { #expect(schedule.submit(job)) }
        #expect(schedule.next() === long[0])
        #expect(schedule.next() === long[1])
        #expect(schedule.next() == nil, "the third turn is for short jobs")
        let short = [Self.job(1), Self.job(1)]
        for job in short { #expect(schedule.submit(job)) }
        #expect(schedule.next() === short[0])
        #expect(schedule.next() == nil)
        schedule.finish(long[0])
        #expect(schedule.next() === short[1], "before long ones that came sooner")
    }

    @Test("short jobs leave one turn to long ones")
    func longGoesOn() {
        let schedule = ScheduleInHand(Self.limits(long: 2))
        let long = Self.job(1, expecting: .long)
        let short = (0..<4).map { _ in Self.job(2) }
        for job in short + [long] { #expect(schedule.submit(job)) }
        #expect(schedule.next() === short[0])
        #expect(schedule.next() === short[1])
        #expect(schedule.next() === long)
    }

    @Test("a client whose long job held its turn for many slices lets others have as many")
    func debts() {
        let schedule = ScheduleInHand(Self.limits(long: 1))
        let (heavy, light) = (Self.job(1, expecting: .long), Self.job(2, expecting: .long))
        for job in [heavy, light] { #expect(schedule.submit(job)) }
        #expect(schedule.next() === heavy)
        heavy.heldSliceCount = 4
        #expect(schedule.endSlice(of: heavy) == .waits)
        for _ in 0..<3 {
            #expect(schedule.next() === light)
            #expect(schedule.endSlice(of: light) == .waits)
        }
        #expect(schedule.next() === heavy, "which has paid, and is first in line")
        schedule.finish(heavy)
        // With its next job it owes nothing any more, and turns go round again.
        let next = Self.job(1, expecting: .long)
        #expect(schedule.submit(next))
        #expect(schedule.next() === light)
        #expect(schedule.endSlice(of: light) == .waits)
        #expect(schedule.next() === next)
    }

    @Test(
        "the jobs of a client that follow one which held its turn for many slices are long, until some have not"
    )
    func overruns() {
        let schedule = ScheduleInHand(Self.limits(long: 2))
        let slow = Self.job(1)
        let waiting = Self.job(1)
        #expect(schedule.submit(slow) && schedule.submit(waiting))
        #expect(schedule.next() === slow)
        slow.hasOverrun = true
        #expect(schedule.endSlice(of: slow) == .waits)
        #expect(waiting.isLong, "though it waited already")
        let other = Self.job(2)
        #expect(schedule.submit(other) && !other.isLong)
        #expect(schedule.next() === other, "before all that are long")
        schedule.finish(other)
        for job in [waiting, slow] {
            #expect(schedule.next() === job)
            schedule.finish(job)
        }
        for _ in 0..<Overruns.jobCount {
            let job = Self.job(1)
            #expect(schedule.submit(job) && job.isLong)
            #expect(schedule.next() === job)
            schedule.finish(job)
        }
        let last = Self.job(1)
        #expect(schedule.submit(last) && !last.isLong)
    }

    @Test("only so many clients that overran are remembered")
    func manyOverruns() {
        var overruns = Overruns()
        let clients = (0...Overruns.clientCountMax).map {
            ClientKey(address: "10.\($0 / 256).\($0 % 256).1:1")
        }
        for client in clients { overruns.note(client) }
        #expect(!overruns.contains(clients[0]))
        #expect(clients.dropFirst().allSatisfy { overruns.contains($0) })
    }

    @Test("slices of long jobs go round among clients, however many jobs each has")
    func slicesOfClients() {
        let schedule = ScheduleInHand(Self.limits())
        let many = (0..<3).map { _ in Self.job(1) }
        let one = Self.job(2)
        for job in many + [one] { #expect(schedule.submit(job)) }
        var counts = [0, 0]
        for _ in 0..<40 {
            guard let job = schedule.next() else { break }
            counts[job === one ? 1 : 0] += 1
            let verdict = schedule.endSlice(of: job)
            #expect(verdict == .waits)
        }
        #expect(schedule.admittedCount == 4)
        #expect(abs(counts[0] - counts[1]) <= 3, "\(counts)")
    }

    @Test("a job alone goes on at the end of its slice")
    func alone() {
        let schedule = ScheduleInHand(Self.limits())
        let job = Self.job(1)
        #expect(schedule.submit(job))
        #expect(schedule.next() === job)
        #expect(schedule.endSlice(of: job) == .waits)
        #expect(schedule.next() === job, "it is admitted, and nobody else waits")
        #expect(schedule.endSlice(of: job) == .goesOn)
    }

    @Test("no more jobs than may hold what they have read; another one begins again when one ends")
    func admission() {
        let schedule = ScheduleInHand(Self.limits(long: 1, admitted: 2))
        let first = [Self.job(1), Self.job(1)]
        Self.makeLong(first, in: schedule)
        let third = Self.job(1)
        #expect(schedule.submit(third))
        #expect(schedule.next() === third)
        #expect(schedule.endSlice(of: third) == .ends(.restarted))
        third.ending = .restarted
        schedule.finish(third)
        #expect(third.ending == nil)
        #expect(schedule.admittedCount == 2)
        #expect(schedule.waitingCount == 1)
        #expect(schedule.next() === first[0])
        #expect(schedule.next() == nil)
        schedule.finish(first[0])
        #expect(schedule.admittedCount == 2, "the third one is admitted before it begins again")
        #expect(schedule.next() === first[1])
        schedule.finish(first[1])
        #expect(schedule.next() === third)
        #expect(schedule.endSlice(of: third) == .goesOn)
    }

    @Test("a client that has all the room gives half of it to another")
    func preemption() {
        let schedule = ScheduleInHand(Self.limits(long: 1, admitted: 4))
        let greedy = (0..<4).map { _ in Self.job(1) }
        Self.makeLong(greedy, in: schedule)
        let others = (0..<3).map { _ in Self.job(2) }
        for job in others {
            #expect(schedule.submit(job))
            let next = schedule.next()
            #expect(next === job)
            #expect(schedule.endSlice(of: job) == .ends(.restarted))
            job.ending = .restarted
            schedule.finish(job)
        }
        #expect(greedy.map(\.isPreempted) == [false, false, true, true], "the last ones")
        // Two of its jobs end their slices as told, and begin again later.
        for _ in 0..<12 {
            guard let job = schedule.next() else { break }
            if case .ends(let ending) = schedule.endSlice(of: job) {
                job.ending = ending
                schedule.finish(job)
            }
        }
        #expect(greedy.filter(\.isAdmitted).count == 2)
        #expect(others.filter(\.isAdmitted).count == 2)
    }

    @Test(
        "jobs together have no more memory than they may; who needs more waits for it, and is not overtaken"
    )
    func memory() {
        var limits = Self.limits(long: 1, admitted: 4)
        limits.memoryByteCountMax = 400
        limits.jobMemoryByteCountMax = 300
        let schedule = ScheduleInHand(limits)
        let jobs = (0..<3).map { Self.job($0) }
        Self.makeLong(jobs, in: schedule)
        #expect(jobs.map(\.memoryByteCountMax) == [100, 100, 100])
        #expect(schedule.memoryByteCount == 300)
        #expect(schedule.next() === jobs[0])
        jobs[0].memoryByteCountMax = 300
        jobs[0].ending = .restarted
        schedule.finish(jobs[0])
        #expect(schedule.memoryByteCount == 200)
        let late = Self.job(5)
        #expect(schedule.submit(late))
        #expect(schedule.next() === late)
        #expect(schedule.endSlice(of: late) == .ends(.restarted), "there is room, but not its turn")
        late.ending = .restarted
        schedule.finish(late)
        #expect(schedule.next() === jobs[1])
        schedule.finish(jobs[1])
        #expect(schedule.memoryByteCount == 400)
        #expect(jobs[0].isAdmitted && !late.isAdmitted)
    }

    @Test("a job whose time is over before it is admitted is let tell so")
    func overdue() {
        let schedule = ScheduleInHand(Self.limits(long: 1, admitted: 1))
        let first = Self.job(1)
        Self.makeLong([first], in: schedule)
        let late = Self.job(1, until: 1_000)
        #expect(schedule.submit(late))
        #expect(schedule.next() === late)
        #expect(schedule.endSlice(of: late) == .ends(.restarted))
        late.ending = .restarted
        schedule.finish(late)
        schedule.expire(999)
        #expect(schedule.next() === first)
        #expect(schedule.next() == nil)
        schedule.expire(1_000)
        #expect(schedule.next() === late)
    }

    @Test(
        "what is stopped ends at the end of its slice, and what waits for room comes to its end too"
    )
    func stop() {
        let schedule = ScheduleInHand(Self.limits(long: 1, admitted: 1))
        let first = Self.job(1)
        Self.makeLong([first], in: schedule)
        let second = Self.job(1)
        #expect(schedule.submit(second))
        #expect(schedule.next() === second)
        #expect(schedule.endSlice(of: second) == .ends(.restarted))
        second.ending = .restarted
        schedule.finish(second)
        schedule.stop()
        #expect(!schedule.submit(Self.job(1)))
        var ended = 0
        while let job = schedule.next() {
            #expect(schedule.endSlice(of: job) == .ends(.stopped))
            job.ending = .stopped
            schedule.finish(job)
            ended += 1
        }
        #expect(ended == 2)
        #expect(schedule.waitingCount == 0)
    }

    @Test("only so many jobs wait")
    func bound() {
        var limits = Self.limits()
        limits.waitingCountMax = 2
        let schedule = ScheduleInHand(limits)
        #expect(schedule.submit(Self.job(1)))
        #expect(schedule.submit(Self.job(2)))
        #expect(!schedule.submit(Self.job(3)))
        #expect(schedule.next() != nil)
        #expect(schedule.submit(Self.job(3)))
    }

    @Test("an address is one client whatever its port, and so is a network of IPv6")
    func clientKeys() {
        #expect(ClientKey(address: "10.0.0.1:1") == ClientKey(address: "10.0.0.1:65000"))
        #expect(ClientKey(address: "10.0.0.1:1") != ClientKey(address: "10.0.0.2:1"))
        #expect(ClientKey(address: "10.0.0.1:1") == ClientKey(address: "10.0.0.1"))
        #expect(ClientKey(address: "[2001:db8::1]:1") == ClientKey(address: "[2001:db8::1]"))
        #expect(ClientKey(address: "[2001:db8::1]") == ClientKey(address: "[2001:db8::2:3:4:5]:9"))
        #expect(ClientKey(address: "[2001:db8::1]") != ClientKey(address: "[2001:db8:0:1::1]"))
        #expect(ClientKey(address: "[::ffff:10.0.0.1]") != ClientKey(address: "[::ffff:10.0.0.2]"))
        #expect(ClientKey(address: "[::1]") != ClientKey(address: "[::ffff:10.0.0.2]"))
        #expect(ClientKey(address: "[::1]:1") == ClientKey(address: "[::1]:2"))
        #expect(ClientKey(token: 1) != ClientKey(token: 2))
    }

    @Test("a network is the first 16 bits of an address, in IPv6 the first 48")
    func networkKeys() {
        func isOne(_ first: String, _ second: String) -> Bool {
            ClientKey(networkOf: first) == ClientKey(networkOf: second)
        }
        #expect(isOne("10.1.2.3:1", "10.1.200.4:65000"))
        #expect(isOne("10.1.2.3:1", "10.1.2.3"))
        #expect(!isOne("10.1.2.3:1", "10.2.2.3:1"))
        #expect(isOne("[2001:db8:1:2::3]:1", "[2001:db8:1:ffff::4]:9"))
        #expect(!isOne("[2001:db8:1::3]:1", "[2001:db8:2::3]:1"))
        #expect(isOne("[::ffff:10.1.2.3]:1", "[::ffff:10.1.9.9]:2"))
        #expect(!isOne("[::ffff:10.1.2.3]:1", "[::ffff:10.2.2.3]:1"))
        #expect(isOne("[::1]:1", "[::1]:2"))
    }
}

/// A schedule that expectations can change.
private final class ScheduleInHand {
    private var schedule: Schedule

    init(_ limits: SchedulerLimits) { schedule = Schedule(limits) }

    var admittedCount: Int { schedule.admittedCount }
    var waitingCount: Int { schedule.waitingCount }
    var memoryByteCount: Int { schedule.memoryByteCount }

    func submit(_ job: Job) -> Bool { schedule.submit(job) }
    func next() -> Job? { schedule.next() }
    func endSlice(of job: Job) -> Schedule.Verdict { schedule.endSlice(of: job) }
    func finish(_ job: Job) { schedule.finish(job) }
    func expire(_ now: UInt64) { schedule.expire(now) }
    func stop() { schedule.stop() }
}
