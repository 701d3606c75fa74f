import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/password-resets`: gives the account of a one-time code another password.
    func resetPassword(_ request: Request) throws(RequestFault) -> Outcome {
        let texts = try accountTexts(request, [AccountBody.code, AccountBody.newPassword])
        let stated = Array(texts[0].utf8).withUnsafeBytes { AccountSecret(.resetCode, stated: $0) }
        let audit = auditLine(request)
        return try answerHashing(request, tried(request)) { worker throws(RequestFault) in
            guard let code = stated else { throw .resetCodeInvalid }
            // A code of nobody costs no hash.
            let account = try self.accounts.account(resetBy: code)
            let hash = try self.hash(texts[1], worker)
            return { () throws(RequestFault) in
                try self.accounts.reset(by: code, to: hash)
                self.users?.sessions.endAll(of: account.id)
                self.tries.forget(login: account.login)
                audit.write(account: account.id.description)
                return Response(204)
            }
        }
    }
}
