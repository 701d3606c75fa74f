import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `DELETE /v1/sessions/current`: signs out. What the session has begun ends.
    func deleteSession(_ request: Request) throws(RequestFault) -> Outcome {
        let session = try signedInSession(request)
        return answerScheduled { () throws(RequestFault) in
            try self.accounts.end(session.hash, of: session.account.id)
            self.users?.sessions.end(session.hash)
            return Response(204)
        }
    }
}
