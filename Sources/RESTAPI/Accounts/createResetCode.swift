import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON

extension RESTService {
    /// `POST /v1/accounts/{id}/reset-code`: a code that resets the password of an account once, for the application to deliver.
    func createResetCode(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let id = request.parameter(0).string
        let audit = auditLine(request)
        return answerScheduled { () throws(RequestFault) in
            let account = try self.accounts.account(id).id
            let (code, end) = try self.accounts.makeResetCode(of: account)
            audit.write()
            return Response.object(201) { object in
                object.member("code").string(code.text)
                object.member("expires").string(end.description)
            }.with(.cacheControl, "no-store")
        }
    }
}
