import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `PUT /v1/me/password`: gives the account of the session another password. Its other sessions end.
    func changePassword(_ request: Request) throws(RequestFault) -> Outcome {
        let session = try signedInSession(request)
        let texts = try accountTexts(request, [AccountBody.password, AccountBody.newPassword])
        let tries = tried(request, login: session.account.login)
        let audit = auditLine(request)
        let account = session.account.id
        return try answerHashing(request, tries) { worker throws(RequestFault) in
            let former = try self.accounts.passwordHash(account.description)
            guard try self.isRight(texts[0], for: former, worker) else { throw .passwordWrong }
            let hash = try self.hash(texts[1], worker)
            return { () throws(RequestFault) in
                try self.accounts.setPassword(
                    hash, of: account, after: former, keeping: session.hash)
                self.users?.sessions.endAll(of: account, but: session.hash)
                audit.write(account: account.description)
                return Response(204)
            }
        }
    }
}
