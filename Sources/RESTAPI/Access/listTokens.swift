import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/tokens`: the tokens of the store, by name.
    func listTokens(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return answerScheduled { () throws(RequestFault) in
            let tokens = try self.storedTokens.read().tokens
            return Response.object(200) { object in
                object.member("tokens").objects(of: tokens) { $0.write(to: &$1) }
            }
        }
    }
}
