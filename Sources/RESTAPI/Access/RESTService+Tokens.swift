import HoldfastHTTPServer
import HoldfastJSON
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

    /// Answers from a thread of the scheduler with a list of them, as the only member of an object.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - name: That of the member.
    ///   - find: Reads the entries.
    ///   - write: Writes the members of one.
    /// - Returns: The outcome.
    /// - Throws: ``RequestFault`` `.notAcceptable` where the client takes no JSON.
    func answerList<Entry>(
        _ request: Request, _ name: StaticString,
        _ find: @escaping @Sendable (StoredTokens) throws(RequestFault) -> [Entry],
        write: @escaping @Sendable (Entry, inout JSONObjectWriter) -> Void
    ) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return answerScheduled { () throws(RequestFault) in
            let entries = try find(self.storedTokens)
            return Response.object(200) { object in
                object.member(name).objects(of: entries, write)
            }
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
