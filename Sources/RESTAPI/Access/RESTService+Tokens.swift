import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

// Shared parts of the operations on tokens.
extension RESTService {
    /// Answers from a thread of the scheduler with what is made of the store's tokens.
    func answerTokens(
        _ body: @escaping @Sendable (StoredTokens) throws(RequestFault) -> Response
    ) -> Outcome {
        guard let tokens else {
            let stored = StoredTokens(store, fault: served.fault)
            return answerScheduled { () throws(RequestFault) in try body(stored) }
        }
        return answerScheduled { () throws(RequestFault) in try tokens.change(body) }
    }

    /// Says who changes something by a request, for the log.
    func auditLine(_ request: Request) -> AuditLine {
        AuditLine(
            request, by: token(of: request), needsToken: needsToken, logger: logger)
    }

    /// The token of a request, or the one that its ticket was made with; nil where none is needed.
    func token(of request: Request) -> Token? {
        (request.grant?.owner).flatMap { tokens?.token(ofNumber: $0) }
    }

    /// Reads a body that describes a token.
    func tokenMembers(_ request: Request) throws(RequestFault) -> TokenMembers {
        _ = try BodyType.read(request)
        let members = try TokenMembers(served.json(request.body, RequestScratch.current.parser))
        try members.checkEnd()
        return members
    }
}
