import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/accounts/{id}`: an account.
    func getAccount(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let id = request.parameter(0).string
        return answerScheduled { () throws(RequestFault) in
            let account = try self.accounts.account(id)
            return Response.object(200) { account.write(to: &$0) }
        }
    }
}
