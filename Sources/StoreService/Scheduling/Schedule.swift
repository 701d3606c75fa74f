/// Which jobs run and which wait: the decisions of a ``JobScheduler``, without threads and clocks.
///
/// - A job begins as a short one, and short jobs go first. A job that outlives its time slice is long from then on. If it
///   held its turn for many slices without a check of the clock, the next jobs of its client are long too, until
///   some have ended without that (``Overruns``).
/// - Long jobs take all turns but one, and one turn is left to them: neither kind waits for the other alone.
/// - Long jobs keep a snapshot and memory, so that their number is limited. Another one
///   gives up what it has and begins again when there is room.
/// - Turns go round among clients. If the turn of a client's long job took several slices, because a step of it
///   cannot be divided, other clients get as many before its next one. Admission goes round, too, and a client that
///   has at least two jobs more in it than another makes room.
struct Schedule {
    private let limits: SchedulerLimits
    /// Jobs that wait for their first slice.
    private var short = FairQueue<Job>()
    /// Long jobs that wait for a slice.
    private var ready = FairQueue<Job>()
    /// Long jobs that wait to be admitted; they hold nothing.
    private var unadmitted = FairQueue<Job>()
    /// The jobs that are admitted, in the order of their admission.
    private var admitted: [Job] = []
    /// The number of these jobs that wait for their next slice.
    private var parkedCount = 0
    /// Bytes of memory that they may use together.
    private(set) var memoryByteCount = 0
    private(set) var isStopping = false
    /// How many jobs run.
    private(set) var runningCount = 0
    private(set) var runningLongCount = 0
    private var overruns = Overruns()
    /// The slices that clients' long jobs took beyond one a turn while others waited, and that others did not have since.
    private var debts: [ClientKey: Int] = [:]
    /// The most slices that a client owes: some ten seconds.
    private static let debtMax = 2000
    /// Until when no job that waits to be admitted is overdue.
    private var nextDeadline = UInt64.max

    init(_ limits: SchedulerLimits) { self.limits = limits }

    /// How many jobs wait for their first slice, or to begin again.
    var waitingCount: Int { short.count + ready.count + unadmitted.count - parkedCount }
    /// The number of jobs that have outlived their first slice and keep the values that they have read.
    var admittedCount: Int { admitted.count }

    /// Takes in a job; false when too many wait, or it stops.
    mutating func submit(_ job: Job) -> Bool {
        guard !isStopping, waitingCount < limits.waitingCountMax else { return false }
        job.memoryByteCountMax = limits.memoryByteCountAtFirst
        job.isLong = job.expectation == .long || overruns.contains(job.client)
        if job.isLong { ready.append(job) } else { short.append(job) }
        return true
    }

    /// The next job to run; nil if no job may run.
    mutating func next() -> Job? {
        guard runningCount < limits.runningCountMax else { return nil }
        let isLastForLong =
            runningLongCount == 0 && !ready.isEmpty && runningCount == limits.runningCountMax - 1
        if !isLastForLong, let job = short.popFirst() {
            runningCount += 1
            return job
        }
        guard runningLongCount < limits.runningLongCountMax, let job = nextLong() else {
            return nil
        }
        if job.isParked {
            job.isParked = false
            parkedCount -= 1
        }
        runningCount += 1
        runningLongCount += 1
        return job
    }

    /// Removes and returns the long job that is next: of the first client in line that owes least. The others are paid
    /// back a slice.
    private mutating func nextLong() -> Job? {
        if debts.isEmpty { return ready.popFirst() }
        let client = ready.clients.min { debts[$0, default: 0] < debts[$1, default: 0] }
        guard let client else { return nil }
        for other in ready.clients where other != client {
            if let debt = debts[other] { debts[other] = debt > 1 ? debt - 1 : nil }
        }
        return ready.popFirst(of: client)
    }

    /// Notes the slices that a turn of a long job took beyond one, where others wait for theirs.
    private mutating func charge(_ job: Job) {
        guard job.isLong, job.heldSliceCount > 1, !ready.isEmpty else { return }
        let debt = debts[job.client, default: 0] + job.heldSliceCount - 1
        debts[job.client] = min(debt, Self.debtMax)
        job.heldSliceCount = 0
    }

    /// Lets a job that ``next()`` has returned wait again.
    mutating func putBack(_ job: Job) {
        leaveTurn(job)
        if job.isLong { ready.append(job) } else { short.append(job) }
    }

    /// The decision about a job at the end of its slice.
    enum Verdict: Equatable {
        /// No other job waits: it has another slice.
        case goesOn
        /// It waits until ``next()`` returns it.
        case waits
        case ends(Job.Ending)
    }

    /// Ends the slice of a running job.
    mutating func endSlice(of job: Job) -> Verdict {
        if isStopping { return .ends(.stopped) }
        noteOverrun(of: job)
        if job.isPreempted { return .ends(.restarted) }
        if !job.isAdmitted {
            guard unadmitted.isEmpty, hasRoom(for: job) else {
                makeRoom(for: job.client)
                return .ends(.restarted)
            }
            admit(job)
        } else if short.isEmpty, ready.isEmpty {
            return .goesOn
        }
        charge(job)
        leaveTurn(job)
        job.isLong = true
        job.isParked = true
        parkedCount += 1
        ready.append(job)
        return .waits
    }

    /// Makes the jobs of a client long after an overrun of its slice: the waiting jobs, and some later ones.
    private mutating func noteOverrun(of job: Job) {
        guard job.hasOverrun, job.expectation == .short else { return }
        overruns.note(job.client)
        for other in short.removeAll(where: { $0.client == job.client }) {
            other.isLong = true
            ready.append(other)
        }
    }

    /// Ends the turn of a job after its body has returned. A job that has to begin again waits for admission.
    mutating func finish(_ job: Job) {
        charge(job)
        leaveTurn(job)
        if job.isAdmitted {
            admitted.removeAll { $0 === job }
            memoryByteCount -= job.admittedByteCount
            job.admittedByteCount = 0
            job.isAdmitted = false
            job.isPreempted = false
        }
        noteOverrun(of: job)
        if job.ending == nil, !job.hasOverrun { overruns.forgive(job.client) }
        if job.ending == .restarted {
            job.ending = nil
            job.isLong = true
            unadmitted.append(job)
            nextDeadline = min(nextDeadline, job.deadlineMilliseconds)
        }
        admitWaiting()
        if isStopping { expire(.max) }
    }

    /// Lets jobs that wait to be admitted begin when their time is over: they tell so.
    ///
    /// - `now`: Milliseconds of the monotonic clock.
    mutating func expire(_ now: UInt64) {
        guard !unadmitted.isEmpty, now >= nextDeadline || isStopping else { return }
        for job in unadmitted.removeAll(where: { isStopping || $0.deadlineMilliseconds <= now }) {
            job.isLong = false
            short.append(job)
        }
        nextDeadline = .max
        for client in unadmitted.clients {
            // A client's jobs wait in the order of their deadlines, or nearly so.
            let first = unadmitted.first(of: client)?.deadlineMilliseconds ?? .max
            nextDeadline = min(nextDeadline, first)
        }
    }

    /// Ends each job at the end of its slice from now on.
    mutating func stop() {
        isStopping = true
        expire(.max)
    }

    private mutating func leaveTurn(_ job: Job) {
        runningCount -= 1
        if job.isLong { runningLongCount -= 1 }
    }

    // MARK: Admission

    private func hasRoom(for job: Job) -> Bool {
        admitted.count < limits.admittedCountMax
            && memoryByteCount + job.memoryByteCountMax <= limits.memoryByteCountMax
    }

    private mutating func admit(_ job: Job) {
        job.isAdmitted = true
        job.admittedByteCount = job.memoryByteCountMax
        memoryByteCount += job.memoryByteCountMax
        admitted.append(job)
    }

    /// Admits waiting jobs, of the client with the fewest first. No job overtakes one that needs more room.
    private mutating func admitWaiting() {
        while !unadmitted.isEmpty, !isStopping {
            let client = unadmitted.clients.min { admittedCount(of: $0) < admittedCount(of: $1) }
            guard let client, let job = unadmitted.first(of: client), hasRoom(for: job) else {
                return
            }
            _ = unadmitted.popFirst(of: client)
            admit(job)
            ready.append(job)
        }
    }

    private func admittedCount(of client: ClientKey) -> Int {
        admitted.count { $0.client == client && !$0.isPreempted }
    }

    /// Has the client with the most jobs begin its last one again, where another client has fewer by two.
    private func makeRoom(for client: ClientKey) {
        var counts: [ClientKey: Int] = [:]
        for job in admitted where !job.isPreempted { counts[job.client, default: 0] += 1 }
        let own = counts[client, default: 0] + unadmitted.count(of: client)
        guard let most = counts.max(by: { $0.value < $1.value }), most.value >= own + 2 else {
            return
        }
        admitted.last { $0.client == most.key && !$0.isPreempted }?.isPreempted = true
    }
}

/// The clients with jobs that have lately held a turn for many time slices: their next jobs are expected to.
///
/// Each job of such a client that ends without that counts against it, so that it is forgotten after a few. Only so
/// many clients are remembered.
struct Overruns {
    /// So many jobs that end without overrunning make up for one that did.
    static let jobCount = 4
    /// The most clients that are remembered.
    static let clientCountMax = 256

    private var left: [ClientKey: Int] = [:]
    /// The clients, the earliest first.
    private var order: [ClientKey] = []

    /// Whether a client's next job is expected to take long.
    func contains(_ client: ClientKey) -> Bool { left[client] != nil }

    /// Notes that a job of a client has overrun its slice.
    mutating func note(_ client: ClientKey) {
        if left.updateValue(Self.jobCount, forKey: client) != nil { return }
        order.append(client)
        if order.count > Self.clientCountMax { left[order.removeFirst()] = nil }
    }

    /// Notes that a job of a client has ended without that.
    mutating func forgive(_ client: ClientKey) {
        guard let count = left[client] else { return }
        if count > 1 {
            left[client] = count - 1
        } else {
            left[client] = nil
            order.removeAll { $0 == client }
        }
    }
}
