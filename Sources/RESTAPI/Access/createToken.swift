import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/tokens`: makes a token, which is told this once.
    func createToken(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        // Its reply would be stored for a repeat, and the token with it.
        let (name, terms) = try tokenMembers(request).new()
        let audit = auditLine(request)
        return changeTokens { stored throws(RequestFault) in
            let secret = try TokenSecret()
            let token = try stored.add(name, terms, secret.hash)
            audit.write(token: name)
            return Response.object(201) { object in
                token.write(to: &object)
                object.member("token").string(secret.text)
            }.with(.location, "/v1/tokens/\(token.name)").with(.cacheControl, "no-store")
        }
    }
}
