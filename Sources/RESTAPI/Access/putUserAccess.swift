import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `PUT /v1/access/users/{id}`: whether a user is let in, and by what.
    func putUserAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let user = try UserAccess(id: request.parameter(0).string, json(request))
        let audit = auditLine(request)
        return changeTokens { stored throws(RequestFault) in
            if let users = self.users {
                try users.set(user) { () throws(RequestFault) in try stored.set(user) }
            } else {
                try stored.set(user)
            }
            audit.write()
            return Self.response(user)
        }
    }

    /// The reply that tells whether a user is let in.
    static func response(_ user: UserAccess) -> Response {
        Response.object(200) { user.write(to: &$0) }
    }
}
