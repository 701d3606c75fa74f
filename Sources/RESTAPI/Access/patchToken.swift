import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `PATCH /v1/tokens/{name}`: gives a token another right.
    func patchToken(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let name = request.parameter(0).string
        let (other, right) = try tokenMembers(request)
        guard other == nil, let right else {
            throw .single(
                .invalid, "invalid-token",
                "The right of a token can be changed, and nothing else: {\"right\":\"read\"}.",
                pointer: other == nil ? "/right" : "/name")
        }
        return answerTokens { stored throws(RequestFault) in
            let token = try stored.setRight(of: name, to: right)
            return Response.json(200) { self.write(token, to: $0) }
        }
    }
}
