import HoldfastHTTPServer
import HoldfastObjectJSON

extension RESTService {
    /// `DELETE /v1/tokens/{name}`: ends a token.
    func deleteToken(_ request: Request) throws(RequestFault) -> Outcome {
        let name = request.parameter(0).string
        let audit = auditLine(request)
        return changeTokens { stored throws(RequestFault) in
            try stored.revoke(name)
            audit.write()
            return Response(204)
        }
    }
}
