import HoldfastObjectStore
import HoldfastRows
import HoldfastThreads

/// A piece of work of a client, which a ``JobScheduler`` runs.
///
/// It begins with a time slice of its own. When that is over it becomes a long job, which has turns among the others, or begins
/// again later if there are too many long jobs: until its work is done it must not do anything that it can't do twice. The rest,
/// such as answering, it does where ``attempt(_:_:)`` says `.reply`.
// Unchecked: the marked properties belong to the lock of the scheduler, or of a schedule's test; the rest
// to the thread that runs the job.
package final class Job: TimeSlice, QueuedWork, @unchecked Sendable {
    /// How long a job is likely to take.
    package enum Expectation: Sendable {
        /// Not longer than a time slice, as far as is known.
        case short
        /// Longer, without looking at the clock in between.
        case long
    }

    /// Why a job ends before it has done its work.
    enum Ending: Equatable {
        /// It begins again when there is room for it.
        case restarted
        /// No client waits for it any more.
        case unawaited
        /// The scheduler stops.
        case stopped
    }

    /// The client that it works for.
    package let client: ClientKey
    /// When it has to be done, in milliseconds of the monotonic clock. The time that it waits counts.
    package let deadlineMilliseconds: UInt64
    let expectation: Expectation
    private let isAwaited: (@Sendable () -> Bool)?
    private let body: @Sendable (Job) -> Void
    /// Runs once the work is done, or given up; set before the scheduler has the job.
    package var whenDone: (@Sendable () -> Void)?
    /// Runs if the scheduler does not take the job, which ``StreamJobs`` keeps.
    package var refuse: (@Sendable () -> Void)?

    // With the scheduler's lock held, or before it has the job.
    var scheduler: JobScheduler?
    /// Whether it has outlived its first slice, or is expected to.
    var isLong = false
    /// Whether it may keep the values that it has read.
    var isAdmitted = false
    /// Bytes of memory that it was admitted with.
    var admittedByteCount = 0
    /// Whether it has to make room for another client's.
    var isPreempted = false
    /// Whether it waits for its next slice, on its thread.
    var isParked = false
    /// The thread that runs it, from its first slice to its end.
    var thread: SchedulerThread?

    // By the thread that runs it, and between its runs with the lock held.
    var ending: Ending?
    /// Bytes of memory that it may use.
    package internal(set) var memoryByteCountMax = 0
    /// Whether it has held a turn for many slices without a look at the clock.
    var hasOverrun = false
    /// The number of slices that its last turn took.
    var heldSliceCount = 0
    private var sliceStart: UInt64 = 0
    private var sliceMicroseconds: UInt64 = 1
    private var sliceCount = 0

    /// Makes a job.
    ///
    /// - Parameters:
    ///   - client: The client that it works for.
    ///   - expectation: How long it is likely to take.
    ///   - deadlineMilliseconds: When it has to be done.
    ///   - isAwaited: Whether a client waits for it, asked after each slice; nil if a client always does.
    ///   - body: The work. It may run more than once.
    package init(
        _ client: ClientKey, expecting expectation: Expectation = .short,
        until deadlineMilliseconds: UInt64 = .max, isAwaited: (@Sendable () -> Bool)? = nil,
        _ body: @escaping @Sendable (Job) -> Void
    ) {
        self.client = client
        self.expectation = expectation
        self.deadlineMilliseconds = deadlineMilliseconds
        self.isAwaited = isAwaited
        self.body = body
    }

    /// Whether no client waits for it any more. Cost: the caller's closure.
    package var isAbandoned: Bool { isAwaited.map { !$0() } ?? false }

    /// Whether its time is over, which may be before it has begun.
    package var isOverdue: Bool { monotonicMilliseconds() >= deadlineMilliseconds }

    /// Whether its first slice is not over. After that, work that can be left to another job should be.
    package var isInFirstSlice: Bool { sliceCount == 1 && !isSliceOver }

    /// So many slices are too many to hold a turn for.
    private static let fallBehindSliceCount: UInt64 = 8

    private var isSliceOver: Bool { monotonicMicroseconds() >= sliceStart + sliceMicroseconds }

    private func noteOverrun() {
        let held = (monotonicMicroseconds() - sliceStart) / sliceMicroseconds
        heldSliceCount = Int(held)
        if held >= Self.fallBehindSliceCount { hasOverrun = true }
    }

    /// Whether it will be run again.
    var isRestarted: Bool { ending == .restarted }

    /// Has it begin again with more memory, unless it has all that one job may have.
    func restartWithMoreMemory() {
        guard ending == nil, let scheduler,
            memoryByteCountMax < scheduler.limits.memoryByteCountAtMost
        else { return }
        memoryByteCountMax = scheduler.limits.memoryByteCountAtMost
        ending = .restarted
    }

    /// Runs it from its beginning.
    func run(sliceMicroseconds: UInt64) {
        sliceCount = 0
        beginSlice(sliceMicroseconds)
        body(self)
        noteOverrun()
    }

    /// Begins its next slice.
    func beginSlice(_ microseconds: UInt64) {
        sliceCount += 1
        sliceStart = monotonicMicroseconds()
        sliceMicroseconds = max(1, microseconds)
    }

    package func mayContinue() -> Bool {
        guard ending == nil else { return false }
        guard isSliceOver else { return true }
        noteOverrun()
        if isAbandoned {
            ending = .unawaited
        } else {
            scheduler?.endSlice(of: self)
        }
        return ending == nil
    }

    package var isAlone: Bool { scheduler?.hasOneJob ?? true }
}

/// One thread of a ``JobScheduler``, which waits here for a job, or in the middle of one for its next slice.
typealias SchedulerThread = Monitor<SchedulerOrder?>

/// The work that a thread of a ``JobScheduler`` is given.
enum SchedulerOrder: Sendable {
    case run(Job)
    case exit
}
