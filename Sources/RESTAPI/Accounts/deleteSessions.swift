import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `DELETE /v1/sessions`: signs out everywhere. What the sessions of the account have begun ends.
    func deleteSessions(_ request: Request) throws(RequestFault) -> Outcome {
        let session = try signedInSession(request)
        let audit = auditLine(request)
        return answerScheduled { () throws(RequestFault) in
            try self.accounts.endSessions(of: session.account.id)
            self.users?.sessions.endAll(of: session.account.id)
            audit.write(account: session.account.id.description)
            return Response(204)
        }
    }
}
