import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/access/users`: the users who are blocked or signed out, by id.
    func listUserAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return answerScheduled { () throws(RequestFault) in
            let users = try self.storedTokens.read().users
            return Response.object(200) { object in
                object.member("users").objects(of: users) { $0.write(to: &$1) }
            }
        }
    }
}
