import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `DELETE /v1/tokens/{name}`: ends a token.
    func deleteToken(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        return answerTokens { stored throws(RequestFault) in
            try stored.revoke(name)
            return Response(204)
        }
    }
}
