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
        let roles = try heldRoles(of: request)
        return .respond(
            Response.json(200) { writer in
                writer.object { object in
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
                    guard let roles else { return }
                    object.member("roles").array { array in
                        for role in roles { array.element().string(role) }
                    }
                }
            })
    }

    /// The roles of a user that hold; nil for a token of the store, and where there is no access document.
    private func heldRoles(of request: Request) throws(RequestFault) -> [String]? {
        guard access.hasDocument, let principal = principal(of: request) else { return nil }
        // Rules read the whole store.
        return try served.withRead(for: .program) { read throws(RequestFault) in
            try access.view(for: principal, on: read)?.roles.map(\.name)
        }
    }
}
