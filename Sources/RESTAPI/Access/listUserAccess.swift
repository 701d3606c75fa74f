import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/access/users`: the users who are blocked or signed out, by id.
    func listUserAccess(_ request: Request) throws(RequestFault) -> Outcome {
        try answerList(request, "users") { stored throws(RequestFault) in
            try stored.read().users
        } write: {
            $0.write(to: &$1)
        }
    }
}
