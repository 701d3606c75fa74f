import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/tokens`: makes a token, which is told this once.
    func createToken(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        // Its reply would be stored for a repeat, and the token with it.
        let (name, right) = try tokenMembers(request)
        guard let name, let right else {
            let part = name == nil ? "name" : "right"
            throw .single(
                .invalid, "invalid-token",
                "A token needs a name and a right; '\(part)' is missing.",
                pointer: "/" + part)
        }
        return answerTokens { stored throws(RequestFault) in
            let secret = try TokenSecret()
            let token = try stored.add(name, right, secret.hash)
            return Response.json(201) { self.write(token, secret: secret, to: $0) }
                .with(.location, "/v1/tokens/\(token.name)").with(.cacheControl, "no-store")
        }
    }
}
