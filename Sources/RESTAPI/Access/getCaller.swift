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
        let expires = user?.expires ?? request.grant?.until ?? .max
        @Sendable func response(_ roles: [String]?) -> Response {
            Response.object(200) { object in
                if let user {
                    object.member("user").string(user.principal.user ?? "")
                    if let session = user.session {
                        object.member("login").string(session.account.login)
                    }
                    user.principal.claims.write(to: object.member("claims"))
                    object.member("expires").string(
                        Timestamp(seconds: expires, nanoseconds: 0).description)
                } else if let token {
                    object.member("token").string(token.name)
                    token.writeTerms(to: &object)
                } else {
                    object.member("right").string(Right.admin.rawValue)
                }
                if let roles { object.member("roles").strings(roles) }
            }
        }
        guard access.hasDocument, let principal = principal(of: request) else {
            return .respond(response(nil))
        }
        return answerFromJob { job throws(RequestFault) in
            // Rules read the whole store, and may take as long as a query.
            try self.served.withRead(for: .program, in: job) { read throws(RequestFault) in
                response(try self.access.view(for: principal, on: read)?.roles.map(\.name))
            }
        }
    }
}
