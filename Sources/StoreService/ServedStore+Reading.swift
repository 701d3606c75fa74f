import ObjectJSON
import ObjectStore
import Threads

extension ServedStore {
    /// When a query that begins now has to be done, in milliseconds of the monotonic clock.
    package var queryDeadline: UInt64 {
        monotonicMilliseconds() + UInt64(limits.readSecondsMax) * 1000
    }

    /// The limits of a query on a view: those of the job that reads it, whose time began with its request.
    package func queryLimits(of read: ReadTransaction) -> QueryLimits {
        QueryLimits(
            deadlineMilliseconds: (read.turn as? Job)?.deadlineMilliseconds ?? queryDeadline,
            memoryByteCountMax: limits.memoryByteCountMax(of: read))
    }

    /// Throws when following links took longer than the query's time. Writing the reply afterwards has no time
    /// limit.
    package func checkTime(_ read: ReadTransaction) throws(RequestFault) {
        let fault = read.isLate ? RequestFault.late(read, limits) : nil
        read.limitFollowing(until: .max)
        if let fault { throw fault }
    }

    /// Runs `body` with a view of the last commit, which takes turns as its job does.
    ///
    /// - Throws: ``RequestFault`` of `body`, or `.unavailable` when the job's time was over before its turn came.
    ///   It must not be sent when the job must not answer.
    package func withRead<Result>(
        in job: Job, _ body: (ReadTransaction) throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        guard !job.isOverdue else { throw .queryTime(limits) }
        let read = try stored { () throws(StoreError) in try store.read() }
        defer { read.close() }
        read.turn = job
        return try withinMemory(of: job) { () throws(RequestFault) in try body(read) }
    }

    /// Runs `body`; when it needs more memory than a job begins with, the job begins again.
    package func withinMemory<Result>(
        of job: Job?, _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        do {
            return try body()
        } catch {
            if error.code == RequestFault.memoryCode { _ = job?.restartWithMoreMemory() }
            throw error
        }
    }

    /// Runs `body` with a view of the last commit, if it needs one, and closes it.
    package func withLinks<Result>(
        _ isNeeded: Bool, _ body: (ReadTransaction?) -> Result
    ) throws(RequestFault) -> Result {
        guard isNeeded else { return body(nil) }
        let read = try stored { () throws(StoreError) in try store.read() }
        defer { read.close() }
        let result = body(read)
        try stored { () throws(StoreError) in try read.checkFailure() }
        return result
    }
}
