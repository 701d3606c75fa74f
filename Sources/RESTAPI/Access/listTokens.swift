import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON

extension RESTService {
    /// `GET /v1/tokens`: the tokens of the store, by name.
    func listTokens(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        return answerTokens { stored throws(RequestFault) in
            let tokens = try stored.read().tokens
            return Response.json(200) { writer in
                writer.object { object in
                    object.member("tokens").array { array in
                        for token in tokens { array.element().object { token.write(to: &$0) } }
                    }
                }
            }
        }
    }
}
