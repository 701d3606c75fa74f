import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/sessions`: signs in with a login and a password. The same work is done for a login that has no account.
    func createSession(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let texts = try accountTexts(request, [AccountBody.login, AccountBody.password])
        return try answerHashing(request, tried(request, login: texts[0])) {
            worker throws(RequestFault) in
            let found = try self.accounts.account(login: texts[0])
            guard try self.isRight(texts[1], for: found?.passwordHash, worker), let found,
                !(self.users?.isBarred(found.account.id.description) ?? false)
            else { throw .signInRefused }
            return { () throws(RequestFault) in
                let secret = try AccountSecret(.session, of: found.account.id)
                let session = try self.accounts.begin(secret, after: found.passwordHash) {
                    self.users?.sessions.end($0)
                }
                return Response.object(201) { object in
                    object.member("token").string(secret.text)
                    object.member("user").string(session.account.id.description)
                    object.member("expires").string(
                        Timestamp(seconds: session.end, nanoseconds: 0).description)
                }.with(.cacheControl, "no-store")
            }
        }
    }
}
