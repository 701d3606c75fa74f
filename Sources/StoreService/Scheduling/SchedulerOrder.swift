import HoldfastThreads

/// One thread of a ``JobScheduler``, which waits here for a job, or in the middle of one for its next slice.
typealias SchedulerThread = Monitor<SchedulerOrder?>

/// The work that a thread of a ``JobScheduler`` is given.
enum SchedulerOrder: Sendable {
    case run(Job)
    case exit
}
