import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/access/users`: the users who are blocked or signed out, by id.
    func listUserAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return answerTokens { stored throws(RequestFault) in
            let users = try stored.read().users
            return Response.json(200) { writer in
                writer.object { object in
                    object.member("users").array { array in
                        for user in users { array.element().object { user.write(to: &$0) } }
                    }
                }
            }
        }
    }
}
