import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/access/users/{id}`: whether a user is let in, and by what. The service does not know which users there are elsewhere.
    func getUserAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let user = try UserAccess(id: request.parameter(0).string)
        return answerScheduled { () throws(RequestFault) in
            Self.response(try self.storedTokens.user(user.id) ?? user)
        }
    }
}
