import HoldfastThreads

/// One thread of a ``JobScheduler``: it waits for a job, or in the middle of one for its next slice.
final class SchedulerThread: Sendable {
    /// The work that it is given.
    enum Order: Sendable {
        case run(Job)
        case exit
    }

    private let order = Monitor<Order?>(nil)

    /// Gives the thread its next work. Cost: a lock, and waking it.
    func give(_ order: Order) {
        self.order.update { $0 = order }
    }

    /// Waits for what to do next.
    func wait() -> Order { order.wait { $0.take() } }
}
