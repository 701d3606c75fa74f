import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/me`: who asks, and what they may do. Without tokens that is everything.
    func getCaller(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let token = token(of: request)
        return .respond(
            Response.json(200) { writer in
                writer.object { object in
                    guard let token else {
                        object.member("right").string(Right.admin.rawValue)
                        return
                    }
                    object.member("token").string(token.name)
                    token.writeTerms(to: &object)
                }
            })
    }
}
