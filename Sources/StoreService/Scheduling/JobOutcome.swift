import HoldfastObjectJSON

/// How a step of a job has ended.
package enum JobOutcome<Reply> {
    /// The work is done.
    case reply(Reply)
    /// The job runs again, from its beginning: nothing is to be told or kept.
    case again
    /// The client has left, or the scheduler stops: no reply is needed.
    case gone

    /// The same with another reply.
    package func map<Other, Failure: Error>(
        _ change: (Reply) throws(Failure) -> Other
    ) throws(Failure) -> JobOutcome<Other> {
        switch self {
        case .reply(let reply): .reply(try change(reply))
        case .again: .again
        case .gone: .gone
        }
    }
}

extension Job {
    /// Takes a step of the work.
    ///
    /// - Returns: `.again` or `.gone` where the job has ended meanwhile, however the step ended. A step that needs more
    ///   memory than a job begins with is taken again by a job that has all.
    /// - Throws: ``RequestFault`` of `body`, and `.unavailable` when the job's time was over before its turn came.
    package func attempt<Reply>(
        _ limits: ServiceLimits, _ body: () throws(RequestFault) -> Reply
    ) throws(RequestFault) -> JobOutcome<Reply> {
        // Its client may have left while it waited.
        if isAbandoned { return .gone }
        if isOverdue { throw .queryWait(limits) }
        let result: Result<Reply, RequestFault>
        do throws(RequestFault) {
            result = .success(try RequestScratch.current.withBudget(of: self, limits, body))
        } catch {
            if error.code == RequestFault.memoryCode { restartWithMoreMemory() }
            result = .failure(error)
        }
        if let outcome: JobOutcome<Reply> = ended() { return outcome }
        return .reply(try result.get())
    }

    /// Takes a step that reads nothing of the store, so that it stands once it has come to its end.
    ///
    /// - Returns: `.again` or `.gone` where the job has ended before.
    /// - Throws: ``RequestFault`` of `body`.
    package func attemptOnce<Reply>(
        _ limits: ServiceLimits, _ body: () throws(RequestFault) -> Reply
    ) throws(RequestFault) -> JobOutcome<Reply> {
        do throws(RequestFault) {
            return .reply(try RequestScratch.current.withBudget(of: self, limits, body))
        } catch {
            if error.code == RequestFault.memoryCode { restartWithMoreMemory() }
            guard let outcome: JobOutcome<Reply> = ended() else { throw error }
            return outcome
        }
    }

    private func ended<Reply>() -> JobOutcome<Reply>? {
        switch ending {
        case .restarted: .again
        case .unawaited, .stopped: .gone
        case nil: nil
        }
    }
}
