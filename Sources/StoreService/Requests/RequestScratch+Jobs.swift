import HoldfastObjectJSON
import HoldfastRows

extension RequestScratch {
    /// Runs a step of a job. Reading, checking and compiling on the thread meanwhile count for the job's time and memory.
    ///
    /// - Throws: ``RequestFault`` of `body`; the fault of the budget if it has failed, since results of that time
    ///   must not be used.
    func withBudget<Reply>(
        of job: Job, _ limits: ServiceLimits, _ body: () throws(RequestFault) -> Reply
    ) throws(RequestFault) -> Reply {
        guard ownBudget.timeSlice == nil else { return try body() }
        ownBudget.begin(until: job.deadlineMilliseconds, memoryByteCountMax: job.memoryByteCountMax)
        for budget in [ownBudget, reader.budget] {
            budget.timeSlice = job
            budget.deadlineMilliseconds = job.deadlineMilliseconds
        }
        defer {
            for budget in [ownBudget, reader.budget] {
                budget.timeSlice = nil
                budget.deadlineMilliseconds = .max
            }
        }
        do throws(RequestFault) { return try body() } catch {
            if let failure = ownBudget.failure { throw .givenUp(failure, limits) }
            throw error
        }
    }

    /// The names of a schema, found without a lock when the thread used them last.
    package func names(of schema: RowSchema, _ served: ServedStore) -> SchemaNames {
        names(of: schema, orMake: served.names)
    }
}
