import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

/// An operation that reads: its use case, and the response to the reply of that.
protocol ReadOperation: Sendable {
    associatedtype Case: ReadCase

    /// The use case.
    var reading: Case { get set }

    /// Makes the response, while the view that the reply is of is open.
    func response(
        to reply: Case.Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response
}

extension RESTService {
    /// Answers a read of the version that the request asks for, as soon as the store has it: on the connection's thread
    /// if the reply is sure to be short, else from a job.
    ///
    /// - `text`: Of a page, whose cursor goes on under the snapshot of the page before.
    func answer(
        _ request: Request, cursor text: QueryText? = nil, _ operation: some ReadOperation
    ) throws(RequestFault) -> Outcome {
        // Most reads are of one object and have no parameters.
        if request.query.isEmpty, text == nil { return try answerNow(request, operation) }
        return try whenReadable(request, cursor: text) { version throws(RequestFault) in
            var operation = operation
            operation.reading.version = version
            return try self.answerNow(request, operation)
        }
    }

    private func answerNow(
        _ request: Request, _ operation: some ReadOperation
    ) throws(RequestFault) -> Outcome {
        var operation = operation
        let short = try request.allowing { () throws(RequestFault) in
            try operation.reading.answerIfShort(served) { [operation] reply throws(RequestFault) in
                try operation.response(to: reply, request, self)
            }
        }
        let version = operation.reading.version
        if let short { return .respond(try short.under(version.pin, served)) }
        return .later { [operation] exchange in
            self.schedule(for: exchange) { job in
                self.answer(exchange) { () throws(RequestFault) in
                    try request.allowing { () throws(RequestFault) in
                        try operation.reading.answer(self.served, in: job) {
                            reply throws(RequestFault) in
                            try operation.response(to: reply, request, self)
                                .under(version.pin, self.served)
                        }
                    }
                }
            }
        }
    }
}
