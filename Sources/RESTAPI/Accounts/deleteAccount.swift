import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `DELETE /v1/accounts/{id}`: removes an account; what its sessions have begun ends.
    func deleteAccount(_ request: Request) throws(RequestFault) -> Outcome {
        let id = request.parameter(0).string
        let audit = auditLine(request)
        return answerScheduled { () throws(RequestFault) in
            let account = try self.accounts.account(id).id
            try self.accounts.delete(account)
            self.users?.sessions.endAll(of: account)
            audit.write()
            return Response(204)
        }
    }
}
