import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `PATCH /v1/tokens/{name}`: gives a token other terms.
    func patchToken(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let name = request.parameter(0).string
        let members = try tokenMembers(request)
        let audit = auditLine(request)
        return changeTokens { stored throws(RequestFault) in
            let token = try stored.change(name, members)
            audit.write()
            return Response.object(200) { token.write(to: &$0) }
        }
    }
}
