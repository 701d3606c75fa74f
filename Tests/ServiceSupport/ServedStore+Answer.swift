import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads

extension ReadCase {
    /// Answers as a connection's thread does; nil where it takes a job.
    package mutating func answerIfShort<Answer>(
        _ served: ServedStore, _ answer: (Reply) throws(RequestFault) -> Answer
    ) throws(RequestFault) -> Answer? {
        let reply = try served.withRead(for: caller, of: pin) { read throws(RequestFault) in
            try replyIfShort(read, served)
        }
        return try reply.map(answer)
    }
}

extension ServedStore {
    /// Answers with the reply of a use case that reads: at once if that is short, else from a job, as a server does.
    ///
    /// - Returns: Nil where there is nobody to answer.
    package func reply<Case: ReadCase, Answer: Sendable>(
        to reading: Case, _ answer: @escaping @Sendable (Case.Reply) throws(RequestFault) -> Answer
    ) throws -> Answer? {
        var reading = reading
        if let short = try reading.answerIfShort(self, answer) { return short }
        return try self.answer(reading, answer)
    }

    /// Answers with the reply of a use case that reads, from a job.
    ///
    /// - Returns: Nil where there is nobody to answer.
    package func answer<Case: ReadCase, Answer: Sendable>(
        _ reading: Case, _ answer: @escaping @Sendable (Case.Reply) throws(RequestFault) -> Answer
    ) throws -> Answer? {
        let done = Monitor<Result<Answer?, RequestFault>?>(nil)
        let isTaken = scheduler.submit(
            Job(reading.caller.client) { [reading] job in
                let result: Result<Answer?, RequestFault>
                do throws(RequestFault) {
                    switch try reading.reply(self, in: job).map(answer) {
                    case .reply(let made): result = .success(made)
                    case .again: return
                    case .gone: result = .success(nil)
                    }
                } catch {
                    result = .failure(error)
                }
                done.update { $0 = result }
            })
        return isTaken ? try done.wait { $0 }.get() : nil
    }
}
