import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/me`: who asks, and what they may do. Without tokens that is everything.
    func getCaller(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let token = token(of: request)
        let user = request.user
        return .respond(
            Response.json(200) { writer in
                writer.object { object in
                    if let user {
                        object.member("user").string(user.id)
                        user.claims.write(to: object.member("claims"))
                        object.member("expires").string(
                            Timestamp(seconds: user.expires, nanoseconds: 0).description)
                        return
                    }
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
