import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads

/// A use case that reads, and the response to its reply.
protocol ReadOperation: ReadCase {
    /// Makes the response, while the view that the reply is of is open. Mutating, since it is asked of a variable, which is copied for
    /// other calls.
    mutating func response(
        to reply: Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response
}

extension RESTService {
    /// Answers a read of the version that the request asks for, as soon as the store has it: on the connection's thread
    /// if the reply is sure to be short, else from a job.
    ///
    /// - `caller`: The caller of the use case, a property of which is read through a copy of all of it.
    /// - `text`: Of a page, whose cursor goes on under the snapshot of the page before.
    func answer(
        _ request: Request, for caller: Caller, cursor text: QueryText? = nil,
        _ operation: consuming some ReadOperation
    ) throws(RequestFault) -> Outcome {
        // Most reads are of one object and have no parameters.
        if !request.hasQuery, text == nil {
            return try answerNow(request, for: caller, under: nil, consume operation)
        }
        let unpinned = operation
        return try whenReadable(request, cursor: text) { pin throws(RequestFault) in
            var operation = unpinned
            operation.pin = pin
            return try self.answerNow(
                request, for: self.caller(request), under: pin, operation)
        }
    }

    /// How long what rules read may take on a connection's thread.
    private static let shortMilliseconds: UInt64 = 5

    /// - `pin`: The pin of the operation.
    private func answerNow(
        _ request: Request, for caller: Caller, under pin: SnapshotPin?,
        _ operation: consuming some ReadOperation
    ) throws(RequestFault) -> Outcome {
        var operation = consume operation
        // Put together here and not in a function of `ReadCase`, since the compiler specializes generic code within its
        // module alone.
        let short = try request.allowing { () throws(RequestFault) -> Response? in
            do throws(RequestFault) {
                let deadline =
                    caller.sight == nil ? nil : monotonicMilliseconds() + Self.shortMilliseconds
                return try served.withRead(for: caller, of: pin, until: deadline) {
                    read throws(RequestFault) -> Response? in
                    read.isBrief = true
                    guard let reply = try operation.replyIfShort(read, served) else {
                        return nil
                    }
                    return try operation.response(to: reply, request, self)
                }
            } catch {
                // What rules read of one object may take as long as a query, and a reply may be large.
                guard error.isQueryMemory || caller.sight != nil && error.isQueryTime else {
                    throw error
                }
                return nil
            }
        }
        if let short { return .respond(try short.under(pin, served)) }
        return answerFromJob { [operation] job throws(RequestFault) in
            try request.allowing { () throws(RequestFault) in
                try operation.answer(self.served, in: job) { reply throws(RequestFault) in
                    var operation = operation
                    return try operation.response(to: reply, request, self)
                        .under(pin, self.served)
                }
            }
        }
    }
}
