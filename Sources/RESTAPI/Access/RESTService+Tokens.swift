import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

// Shared parts of the operations on tokens.
extension RESTService {
    /// The tokens and barred users of the store, to be read.
    var storedTokens: StoredTokens { StoredTokens(store, fault: served.fault) }

    /// Changes them on a thread of the scheduler, and has the table of tokens know it before it answers.
    func changeTokens(
        _ body: @escaping @Sendable (StoredTokens) throws(RequestFault) -> Response
    ) -> Outcome {
        answerScheduled { () throws(RequestFault) in
            guard let tokens = self.tokens else { return try body(self.storedTokens) }
            return try tokens.change(body)
        }
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
        let members = try TokenMembers(json(request))
        try members.checkEnd()
        return members
    }
}
